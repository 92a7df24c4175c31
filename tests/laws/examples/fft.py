"""Examples of fft."""
from gnomon.ops.fft import Fft, FftType
from tests.laws.examples import example

LINES = [(FftType.FFT, "c64[4]"), (FftType.IFFT, "c64[2,5]"), (FftType.RFFT, "f32[6]"), (FftType.RFFT, "f32[3,5]"),
         (FftType.IRFFT, "c64[4]")]
EXAMPLES = [example(Fft(kind, (int(t[:-1].split("[")[1].split(",")[-1]) if kind != FftType.IRFFT else 6,)), t,
                    rtol=1e-3, atol=1e-3) for kind, t in LINES]
EXAMPLES += [
    example(Fft(FftType.IRFFT, (7,)), "c64[2,4]", rtol=1e-3, atol=1e-3),
    example(Fft(FftType.FFT, (2, 3)), "c64[2,2,3]", rtol=1e-3, atol=1e-3),
    example(Fft(FftType.RFFT, (3, 4)), "f32[3,4]", rtol=1e-3, atol=1e-3),
    example(Fft(FftType.IRFFT, (3, 4)), "c64[3,3]", rtol=1e-3, atol=1e-3),
    example(Fft(FftType.IFFT, (2, 2, 2)), "c64[2,2,2]", rtol=1e-3, atol=1e-3),
    example(Fft(FftType.IRFFT, (2,)), "c64[2]", rtol=1e-3, atol=1e-3),
]
