// Package preprocess makes of pictures what the models that people have expect: it resizes to the
// byte as Pillow does, crops, and normalises, as preprocessor_config.json says.
//
//	var resizer preprocess.Resizer
//	p := preprocess.Preprocessing{Short: 224, Filter: preprocess.Bicubic, Side: 224, ...}
//	p.Patches(&resizer, dst, picture) // [(224/32)²][3·32²]
//
// Package raster decodes the files, and resizes for UForm's own checkpoints: in floating point,
// while Pillow rounds to bytes after each axis.
package preprocess
