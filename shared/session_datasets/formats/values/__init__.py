"""Values of every Arrow type: as cells of JSON, inside one another, and what they weigh."""
