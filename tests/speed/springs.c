/* The spring step in C, the measure for the kernels: the same step as a plain loop and four springs at a time.
 *
 * Strict IEEE arithmetic: build with -O3 -march=native -ffp-contract=off -fno-math-errno, never with -ffast-math.
 * atan.h is written by bench.py from robotphi/kernels/atan.py: TAN_PI_8, TAN_3PI_8 and C1 ... C10.
 *
 *   linear   F_a = -(k (L - L0) + mu L') d/L,  d = a - b
 *   angular  arms p = a - c, q = b - c,  n = p x q,  s = |n|,  bend phi = atan2(s, -p.q)
 *            W = q x q'/|q|^2 - p x p'/|p|^2,  T = [-k (phi - phi0)/s + mu (W.n)/s^2] n,  T = mu W where s = 0
 *            F_a = T x p/|p|^2,  F_b = q x T/|q|^2,  F_c = -(F_a + F_b)
 *   step     v += dt f/m;  x += dt v;  f = m g   (semi-implicit Euler; the force starts anew with the weight)
 */
#include <math.h>
#include <stdint.h>
#ifdef __AVX__
#include <immintrin.h>
#endif
#include "atan.h"

#define PI 3.14159265358979323846

typedef struct {
    int64_t rows, linear_count, angular_count; /* springs: multiples of four */
    double *position, *velocity, *force;       /* rows of four, 32-byte aligned */
    const double *mass, *inverse_mass, *gravity;
    const int32_t *linear_first, *linear_second;
    const double *linear_stiffness, *linear_viscosity, *rest_length;
    const int32_t *angular_first, *angular_centre, *angular_second;
    const double *angular_stiffness, *angular_viscosity, *rest_bend;
} Scene;

/* ---- one spring at a time ------------------------------------------------------------------------------------- */

typedef struct { double x, y, z; } Vector;

static inline Vector difference(const double *row, int32_t i, int32_t j) {
    const double *a = row + 4 * (int64_t)i, *b = row + 4 * (int64_t)j;
    return (Vector){a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
static inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vector scaled(double c, Vector a) { return (Vector){c * a.x, c * a.y, c * a.z}; }
static inline Vector cross(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline void add(double *row, int32_t i, Vector a) {
    double *f = row + 4 * (int64_t)i;
    f[0] += a.x; f[1] += a.y; f[2] += a.z;
}
static inline void subtract(double *row, int32_t i, Vector a) {
    double *f = row + 4 * (int64_t)i;
    f[0] -= a.x; f[1] -= a.y; f[2] -= a.z;
}

static inline double polynomial(double r) {
    double u = r * r, w = u * u, v = w * w;
    double low = (C1 + C2 * u) + (C3 + C4 * u) * w;
    double high = ((C5 + C6 * u) + (C7 + C8 * u) * w) + (C9 + C10 * u) * v;
    return r + r * (u * (low + high * v));
}

/* Angle of (x, s) with s >= 0, not both zero. */
static inline double bend_angle(double s, double x) {
    double a = fabs(x), num = s, den = a, turn = 0.0;
    if (s > TAN_PI_8 * a) { num = s - a; den = s + a; turn = PI / 4; }
    if (s > TAN_3PI_8 * a) { num = -a; den = s; turn = PI / 2; }
    double angle = turn + polynomial(num / den);
    return x < 0.0 ? PI - angle : angle;
}

static void linear_scalar(const Scene *c) {
    for (int64_t i = 0; i < c->linear_count; i++) {
        int32_t a = c->linear_first[i], b = c->linear_second[i];
        Vector d = difference(c->position, a, b), rate = difference(c->velocity, a, b);
        double length = sqrt(dot(d, d)), inverse = 1.0 / length, speed = dot(d, rate) * inverse;
        double tension = c->linear_stiffness[i] * (length - c->rest_length[i]) + c->linear_viscosity[i] * speed;
        Vector f = scaled(tension * inverse, d);
        subtract(c->force, a, f);
        add(c->force, b, f);
    }
}

static void angular_scalar(const Scene *c) {
    for (int64_t i = 0; i < c->angular_count; i++) {
        int32_t a = c->angular_first[i], centre = c->angular_centre[i], b = c->angular_second[i];
        Vector p = difference(c->position, a, centre), q = difference(c->position, b, centre);
        Vector p_rate = difference(c->velocity, a, centre), q_rate = difference(c->velocity, b, centre);
        double pp = 1.0 / dot(p, p), qq = 1.0 / dot(q, q);
        Vector n = cross(p, q), turn_p = cross(p, p_rate), turn_q = cross(q, q_rate);
        Vector w = {turn_q.x * qq - turn_p.x * pp, turn_q.y * qq - turn_p.y * pp, turn_q.z * qq - turn_p.z * pp};
        double s = sqrt(dot(n, n)), phi = bend_angle(s, -dot(p, q)), mu = c->angular_viscosity[i];
        Vector t = scaled(mu, w);
        if (s > 0.0) {
            double inverse = 1.0 / s;
            double rate = dot(w, n) * inverse;
            t = scaled((mu * rate - c->angular_stiffness[i] * (phi - c->rest_bend[i])) * inverse, n);
        }
        Vector fa = scaled(pp, cross(t, p)), fb = scaled(qq, cross(q, t));
        add(c->force, a, fa);
        add(c->force, b, fb);
        subtract(c->force, centre, (Vector){fa.x + fb.x, fa.y + fb.y, fa.z + fb.z});
    }
}

static void move_scalar(const Scene *c, double dt) {
    double *restrict position = c->position, *restrict velocity = c->velocity, *restrict force = c->force;
    const double *restrict inverse_mass = c->inverse_mass;
    for (int64_t i = 0; i < c->rows; i++)
        for (int k = 0; k < 3; k++) {
            velocity[4 * i + k] += dt * inverse_mass[4 * i + k] * force[4 * i + k];
            position[4 * i + k] += dt * velocity[4 * i + k];
            force[4 * i + k] = c->mass[i] * c->gravity[k];
        }
}

/* ---- four springs at a time ----------------------------------------------------------------------------------- */

typedef double Lane __attribute__((vector_size(32)));
typedef int64_t Mask __attribute__((vector_size(32)));
typedef struct { Lane x, y, z; } Lanes;
typedef Lane Unaligned __attribute__((aligned(8)));

static inline Lane lane(double a) { return (Lane){a, a, a, a}; }
static inline Lane load(const double *a) { return *(const Unaligned *)a; }
static inline Lane choose(Mask m, Lane a, Lane b) { return (Lane)((m & (Mask)a) | (~m & (Mask)b)); }
static inline Lane magnitude(Lane a) { return (Lane)((Mask)a & 0x7fffffffffffffffLL); }
#ifdef __AVX__
static inline Lane root(Lane a) { return _mm256_sqrt_pd(a); }
#else
static inline Lane root(Lane a) { return (Lane){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
#endif
static inline Lane dots(Lanes a, Lanes b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Lanes scales(Lane c, Lanes a) { return (Lanes){c * a.x, c * a.y, c * a.z}; }
static inline Lanes crosses(Lanes a, Lanes b) {
    return (Lanes){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#define MIX(a, b, i, j, k, l) __builtin_shuffle(a, b, (Mask){i, j, k, l})

/* Rows i - j of four springs, transposed. */
static inline Lanes differences(const double *row, const int32_t *i, const int32_t *j) {
    const Lane *rows = (const Lane *)row;
    Lane a = rows[i[0]] - rows[j[0]], b = rows[i[1]] - rows[j[1]];
    Lane c = rows[i[2]] - rows[j[2]], d = rows[i[3]] - rows[j[3]];
    Lane e = MIX(a, b, 0, 4, 2, 6), f = MIX(a, b, 1, 5, 3, 7), g = MIX(c, d, 0, 4, 2, 6), h = MIX(c, d, 1, 5, 3, 7);
    return (Lanes){MIX(e, g, 0, 1, 4, 5), MIX(f, h, 0, 1, 4, 5), MIX(e, g, 2, 3, 6, 7)};
}
static inline void to_rows(Lanes a, Lane out[4]) {
    Lane none = lane(0.0);
    Lane e = MIX(a.x, a.y, 0, 4, 2, 6), f = MIX(a.x, a.y, 1, 5, 3, 7);
    Lane g = MIX(a.z, none, 0, 4, 2, 6), h = MIX(a.z, none, 1, 5, 3, 7);
    out[0] = MIX(e, g, 0, 1, 4, 5); out[1] = MIX(f, h, 0, 1, 4, 5);
    out[2] = MIX(e, g, 2, 3, 6, 7); out[3] = MIX(f, h, 2, 3, 6, 7);
}

static inline Lane polynomials(Lane r) {
    Lane u = r * r, w = u * u, v = w * w;
    Lane low = (C1 + C2 * u) + (C3 + C4 * u) * w;
    Lane high = ((C5 + C6 * u) + (C7 + C8 * u) * w) + (C9 + C10 * u) * v;
    return r + r * (u * (low + high * v));
}
static inline Lane bend_angles(Lane s, Lane x) {
    Lane a = magnitude(x);
    Mask middle = s > TAN_PI_8 * a, upper = s > TAN_3PI_8 * a;
    Lane num = choose(upper, -a, choose(middle, s - a, s));
    Lane den = choose(upper, s, choose(middle, s + a, a));
    Lane turn = choose(upper, lane(PI / 2), choose(middle, lane(PI / 4), lane(0.0)));
    Lane angle = turn + polynomials(num / den);
    return choose(x < 0.0, PI - angle, angle);
}

static void linear_lanes(const Scene *c) {
    Lane *force = (Lane *)c->force;
    for (int64_t i = 0; i < c->linear_count; i += 4) {
        const int32_t *a = c->linear_first + i, *b = c->linear_second + i;
        Lanes d = differences(c->position, a, b), rate = differences(c->velocity, a, b);
        Lane length = root(dots(d, d)), inverse = 1.0 / length, speed = dots(d, rate) * inverse;
        Lane tension = load(c->linear_stiffness + i) * (length - load(c->rest_length + i))
                     + load(c->linear_viscosity + i) * speed;
        Lane f[4];
        to_rows(scales(tension * inverse, d), f);
        for (int k = 0; k < 4; k++) {
            force[a[k]] -= f[k];
            force[b[k]] += f[k];
        }
    }
}

static void angular_lanes(const Scene *c) {
    Lane *force = (Lane *)c->force;
    for (int64_t i = 0; i < c->angular_count; i += 4) {
        const int32_t *a = c->angular_first + i, *centre = c->angular_centre + i, *b = c->angular_second + i;
        Lanes p = differences(c->position, a, centre), q = differences(c->position, b, centre);
        Lanes p_rate = differences(c->velocity, a, centre), q_rate = differences(c->velocity, b, centre);
        Lane pp = 1.0 / dots(p, p), qq = 1.0 / dots(q, q);
        Lanes n = crosses(p, q), turn_p = crosses(p, p_rate), turn_q = crosses(q, q_rate);
        Lanes w = {turn_q.x * qq - turn_p.x * pp, turn_q.y * qq - turn_p.y * pp, turn_q.z * qq - turn_p.z * pp};
        Lane s = root(dots(n, n)), phi = bend_angles(s, -dots(p, q)), mu = load(c->angular_viscosity + i);
        Mask bent = s > 0.0;
        Lane inverse = 1.0 / choose(bent, s, lane(1.0)), rate = dots(w, n) * inverse;
        Lane moment = (mu * rate - load(c->angular_stiffness + i) * (phi - load(c->rest_bend + i))) * inverse;
        Lanes t = {choose(bent, moment * n.x, mu * w.x), choose(bent, moment * n.y, mu * w.y),
                   choose(bent, moment * n.z, mu * w.z)};
        Lane fa[4], fb[4];
        to_rows(scales(pp, crosses(t, p)), fa);
        to_rows(scales(qq, crosses(q, t)), fb);
        for (int k = 0; k < 4; k++) {
            force[a[k]] += fa[k];
            force[b[k]] += fb[k];
            force[centre[k]] -= fa[k] + fb[k];
        }
    }
}

static void move_lanes(const Scene *c, double dt) {
    Lane *restrict position = (Lane *)c->position, *restrict velocity = (Lane *)c->velocity;
    Lane *restrict force = (Lane *)c->force;
    const Lane *restrict inverse_mass = (const Lane *)c->inverse_mass;
    const double *restrict mass = c->mass;
    Lane gravity = load(c->gravity);
    for (int64_t i = 0; i < c->rows; i++) {
        velocity[i] += dt * inverse_mass[i] * force[i];
        position[i] += dt * velocity[i];
        force[i] = mass[i] * gravity;
    }
}

/* ---- what bench.py calls -------------------------------------------------------------------------------------- */

static void weigh(const Scene *c) {
    for (int64_t i = 0; i < c->rows; i++)
        for (int k = 0; k < 4; k++) c->force[4 * i + k] = c->mass[i] * c->gravity[k];
}

void forces_scalar(const Scene *c) { weigh(c); linear_scalar(c); angular_scalar(c); }
void forces_lanes(const Scene *c) { weigh(c); linear_lanes(c); angular_lanes(c); }

void steps_scalar(const Scene *c, double dt, int64_t steps) {
    weigh(c);
    for (int64_t i = 0; i < steps; i++) { linear_scalar(c); angular_scalar(c); move_scalar(c, dt); }
}
void steps_lanes(const Scene *c, double dt, int64_t steps) {
    weigh(c);
    for (int64_t i = 0; i < steps; i++) { linear_lanes(c); angular_lanes(c); move_lanes(c, dt); }
}
