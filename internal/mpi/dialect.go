package mpi

// dialect is how an implementation writes the handles and numbers of MPI, which its standard left
// open until its fifth version.
type dialect struct {
	// narrow is whether handles are C ints; otherwise they are pointers.
	narrow bool
	// The handles that are used: one communicator, two kinds of scalars and bytes, one operation,
	// and the way to answer errors.
	world, float, bytes, sum, errorsReturn uintptr
	// serialized is the thread level at which one thread after another may call; the levels ascend.
	serialized int32
}

// dialectABI is the standard's, of MPI 5.0: small numbers in pointers.
var dialectABI = dialect{
	world: 0x101, float: 0x210, bytes: 0x247, sum: 0x21, errorsReturn: 0x143, serialized: 2048,
}

// dialectMPICH is that of MPICH and its kin since 2013, who agreed on it: Intel MPI, MVAPICH, Cray
// MPI.
var dialectMPICH = dialect{
	narrow: true, world: 0x44000000, float: 0x4c00040a, bytes: 0x4c00010d, sum: 0x58000003, errorsReturn: 0x54000001, serialized: 2,
}

// dialectOpenMPI takes the addresses of what Open MPI exports under these names.
func dialectOpenMPI(symbol func(name string) uintptr) dialect {
	return dialect{
		world: symbol("ompi_mpi_comm_world"), float: symbol("ompi_mpi_float"), bytes: symbol("ompi_mpi_byte"),
		sum: symbol("ompi_mpi_op_sum"), errorsReturn: symbol("ompi_mpi_errors_return"), serialized: 2,
	}
}
