#![cfg_attr(fuzzing, no_main)]

jsift_fuzz::target!(early);
