"""Weigh a pendulum by watching it: recover gravity over length and the damping from noisy angles.

    python examples/pendulum.py

The equation of motion is integrated by a `scan` of Runge-Kutta steps. The misfit to the measurements is a function of
two numbers, so its gradient (backward through the scan) and its Hessian (forward over backward) give Newton's method.
"""
import gnomon as jax
import gnomon.numpy as jnp
from gnomon import lax

STEP, STEPS = 0.02, 400
TRUTH = {"stiffness": 9.81 / 1.3, "damping": 0.25}
START = jnp.array([1.2, 0.0])          # angle in radians, angular velocity


def simulate(parameters):
    """Angles, float32[STEPS], of a damped pendulum with parameters float32[2] = stiffness, damping."""
    def motion(state):
        angle, velocity = state
        return jnp.stack([velocity, -parameters[0] * jnp.sin(angle) - parameters[1] * velocity])

    def runge_kutta(state, _):
        k1 = motion(state)
        k2 = motion(state + STEP / 2 * k1)
        k3 = motion(state + STEP / 2 * k2)
        k4 = motion(state + STEP * k3)
        state = state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return state, state[0]

    return lax.scan(runge_kutta, START, None, length=STEPS)[1]


def misfit(parameters, measured):
    """Mean squared difference between the simulated and the measured angles."""
    return jnp.mean((simulate(parameters) - measured) ** 2)


@jax.jit
def newton(parameters, measured):
    """One Newton step, and the misfit where it started."""
    value, gradient = jax.value_and_grad(misfit)(parameters, measured)
    curvature = jax.hessian(misfit)(parameters, measured)
    return parameters - jnp.linalg.solve(curvature, gradient), value


def fit(steps=8, seed=0):
    """Parameters found from measurements with a noise of 0.02 rad, and the misfits along the way."""
    truth = jnp.array(list(TRUTH.values()))
    measured = simulate(truth) + 0.02 * jax.random.normal(jax.random.key(seed), (STEPS,))
    parameters, misfits = jnp.array([7.0, 0.4]), []
    for _ in range(steps):
        parameters, value = newton(parameters, measured)
        misfits.append(float(value))
    return parameters, misfits


def main():
    parameters, misfits = fit()
    print("misfit  " + "  ".join(f"{value:.2e}" for value in misfits))
    for (name, truth), found in zip(TRUTH.items(), parameters):
        print(f"{name:9}  true {truth:.4f}  found {float(found):.4f}")
        if abs(float(found) - truth) > 0.02 * truth:
            raise SystemExit(f"{name} is more than 2 % off")


if __name__ == "__main__":
    main()
