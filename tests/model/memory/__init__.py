"""S3, DynamoDB and SQS as far as the storage room uses them, in this process's memory.

Everything above the network is the real thing: boto3's clients, their paginators, transfers and presigned URLs. What a
client would send is answered here, a hundred times as fast as an emulator does, and with what no emulator has: an index
that lags until it is told to catch up. Whatever is asked that is not answered here raises NotImplementedError, and the
same commands run on moto and on both emulators as well, so that this account of AWS is checked by others.
"""
