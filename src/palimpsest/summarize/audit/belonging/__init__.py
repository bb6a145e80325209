"""What belongs to what: versions to packages, figures to rows of tables, numbers to whom they were given."""
