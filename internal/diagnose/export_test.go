package diagnose

// Worded is for the tests of whole documents.
var Worded = worded
