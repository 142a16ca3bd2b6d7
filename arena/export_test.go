package arena

// AppendFloats is what Rows widens with.
var AppendFloats = appendFloats
