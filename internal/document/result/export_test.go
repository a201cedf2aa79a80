package result

// Limits are the bounds of numbers, for the schema.
var Limits = limits
