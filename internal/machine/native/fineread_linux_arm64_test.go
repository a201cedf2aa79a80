package native

// readOrdered reads the counter as FineRead does.
var readOrdered = ReadISBCNTVCT
