// Empty: its presence allows call.go to declare a function without a body.
