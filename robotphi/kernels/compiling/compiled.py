"""How the kernels are compiled: strict IEEE, no Python inside, each function once, and kept between runs."""
import numba

from robotphi.kernels.compiling.linked import dispatcher

PLAIN = bool(numba.config.DISABLE_JIT)  # the same kernels as plain Python, for tests

# no kernel is called from C: without the wrapper for that, numba has a third less to compile
kernel = dispatcher(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
inlined = dispatcher(error_model="numpy", forceinline=True, _nrt=False, no_cfunc_wrapper=True)
outermost = dispatcher(error_model="numpy", nogil=True, _nrt=False)

if PLAIN:
    def kernel(function):
        return function

    inlined = outermost = kernel


def kernel_unless(absent, other):
    """Decorator of a kernel in whose place a plain function is compiled where a named tuple of class `absent` is what it is
    given, or among that: so that nothing is compiled, however deep it is called, of what a scene does not have. There both do
    the same."""
    def decorate(function):
        made = kernel(function)
        if hasattr(made, "replace_where"):
            made.replace_where(absent, kernel(other))
        return made
    return decorate


def entry(make, *choices):
    """Compile the function that `make(*choices)` returns.

    What the choices leave out is not reached: an edit of it leaves the machine code of this function as it is.
    """
    return outermost(make(*choices))
