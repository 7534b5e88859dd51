/*
@ABOUT@
 *
 * Everything is in base axes and SI units. Twists and accelerations are linear first (of the base origin), then
 * angular; wrenches are force, then moment about the base origin:
 *
 *     H(q) (dv, dw, ddq) + c(q, dq, twist) = (wrench on the base, torques of the motors less friction, and of springs),
 *
 * dv and dw being the derivatives of the components of the twist. No function allocates memory or keeps state.
 */
#ifndef @GUARD@
#define @GUARD@

#ifdef __cplusplus
extern "C" {
#endif

#define @NAME_UPPER@_JOINTS @JOINTS@
#define @NAME_UPPER@_BODIES @BODIES@
#define @NAME_UPPER@_SIZE (6 + @NAME_UPPER@_JOINTS)

/* Joints by name, and whether nobody drives them but a spring. */
extern const char *const @NAME@_joint_names[@JOINTS@];
extern const int @NAME@_passive[@JOINTS@];

/* Mass matrix H of base twist and joints, row after row; rotors are part of it. */
void @NAME@_mass_matrix(const double q[@JOINTS@], double H[@SIZE@ * @SIZE@]);

/* What the motion needs without any acceleration@WEIGHT@. */
void @NAME@_bias(const double q[@JOINTS@], const double dq[@JOINTS@], const double twist[6], double c[@SIZE@]);

/* Friction of the joints at their rates: what motors give beside H and c. The sign of a rate is tanh(rate / slow), or
 * the sign itself where slow is zero. */
void @NAME@_friction(const double dq[@JOINTS@], double slow, double torque[@JOINTS@]);

/* What springs give passive joints, -k q - d dq; zero for driven ones. */
void @NAME@_springs(const double q[@JOINTS@], const double dq[@JOINTS@], double torque[@JOINTS@]);

/* Accelerations (dv, dw, ddq), ready for an integrator, from the wrench on the base and torques of the motors less
 * friction, which passive joints have none of; springs are reckoned with. Returns 0, or 2 if H is singular; `rise` is
 * then left alone. */
int @NAME@_forward(const double q[@JOINTS@], const double dq[@JOINTS@], const double twist[6],
    const double wrench[6], const double torque[@JOINTS@], double rise[@SIZE@]);

/* The same where driven joints accelerate as `ddq` says, whatever their motors need for it; its entries of passive
 * joints are not read. */
int @NAME@_swing(const double q[@JOINTS@], const double dq[@JOINTS@], const double twist[6],
    const double wrench[6], const double ddq[@JOINTS@], double rise[@SIZE@]);

/* Generalised Jacobian, row after row: twist of a point, given in the frame of a body (see the numbers above), per
 * unit of each joint's rate while the base reacts freely. Returns 0, or 1 if there is no such body, or 2 if the
 * inertia of the whole robot is singular; J is then left alone. */
int @NAME@_generalised_jacobian(const double q[@JOINTS@], int body, const double point[3], double J[6 * @JOINTS@]);

#ifdef __cplusplus
}
#endif

#endif
