/* Distance of convex sets of corners in plain C: the algorithm of robotphi/kernels/contact/gjk.py without its careful end,
   as the measure of its speed. Both ways of finding the support of a part are here; the faster one counts. */
#include <math.h>
#include <stdint.h>

#define LIMIT 40
#define TINY 1e-15
#define SAMPLES 24
#define FLAT 1e-12

typedef struct { double x, y, z; } Vec;
typedef struct { int64_t count, a[4], b[4]; } Simplex;
typedef struct { double distance; Vec n; Simplex simplex; double weight[4]; int64_t iterations; } Answer;
typedef struct {
    const double *position;               /* rows of four */
    const int32_t *vertex, *neighbour_start, *neighbour;
} Corners;
typedef struct { int code; double l[3]; Vec v; double height; } Feature;

static inline Vec vec(double x, double y, double z) { Vec r = {x, y, z}; return r; }
static inline Vec minus(Vec a, Vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline Vec plus(Vec a, Vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline Vec scaled(Vec a, double s) { return vec(a.x * s, a.y * s, a.z * s); }
static inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec cross(Vec a, Vec b) { return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

static inline Vec corner(const Corners *c, int64_t k)
{
    const double *p = c->position + 4 * (int64_t)c->vertex[k];
    return vec(p[0], p[1], p[2]);
}

static inline int64_t scan(const Corners *c, int64_t first, int64_t last, Vec d)
{
    int64_t found = first;
    double best = dot(corner(c, first), d);
    for (int64_t k = first + 1; k < last; k++) {
        double value = dot(corner(c, k), d);
        if (value > best) { best = value; found = k; }
    }
    return found;
}

static inline Vec middle(const Corners *c, int64_t first, int64_t last)
{
    int64_t stride = (last - first + 7) / 8;
    Vec total = {0, 0, 0};
    double taken = 0;
    for (int64_t k = first; k < last; k += stride, taken += 1) total = plus(total, corner(c, k));
    return scaled(total, 1 / taken);
}

static inline int64_t foothold(const Corners *c, int64_t first, int64_t last, Vec d)
{
    int64_t stride = (last - first + SAMPLES - 1) / SAMPLES, found = first;
    double best = dot(corner(c, first), d);
    for (int64_t k = first + stride; k < last; k += stride) {
        double value = dot(corner(c, k), d);
        found = value > best ? k : found;
        best = value > best ? value : best;
    }
    return found;
}

static inline double terms(Vec a, Vec d) { return fabs(a.x * d.x) + fabs(a.y * d.y) + fabs(a.z * d.z); }

static inline int64_t climb(const Corners *c, Vec d, int64_t start, int *slope)
{
    int64_t found = start;
    double best = dot(corner(c, start), d);
    for (;;) {
        int64_t here = found;
        Vec there = d;
        double value = best;
        for (int32_t j = c->neighbour_start[here]; j < c->neighbour_start[here + 1]; j++) {
            int64_t k = c->neighbour[j];
            there = corner(c, k);
            value = dot(there, d);
            found = value > best ? k : found;
            best = value > best ? value : best;
        }
        if (found == here) {
            *slope = value < best - FLAT * (terms(there, d) + terms(corner(c, here), d));
            return found;
        }
    }
}

static __attribute__((noinline)) int on_slope(const Corners *c, Vec d, int64_t k)
{
    Vec here = corner(c, k);
    double at = dot(here, d);
    for (int32_t j = c->neighbour_start[k]; j < c->neighbour_start[k + 1]; j++) {
        Vec there = corner(c, c->neighbour[j]);
        if (dot(there, d) < at - FLAT * (terms(here, d) + terms(there, d))) return 1;
    }
    return 0;
}

static __attribute__((noinline)) int64_t leave_plateau(const Corners *c, int64_t first, int64_t last, Vec d, int64_t k)
{
    Vec here = corner(c, k);
    double level = dot(here, d), at = level;
    int64_t found = k;
    for (int64_t j = first; j < last; j++) {
        Vec there = corner(c, j);
        double value = dot(there, d), margin = FLAT * (terms(here, d) + terms(there, d));
        if (value > at) { at = value; found = j; }
        if (fabs(value - level) > margin) break;
    }
    return found;
}

static inline int64_t support(const Corners *c, int64_t first, int64_t last, Vec d, int64_t start)
{
    if (!(c->neighbour_start[start + 1] > c->neighbour_start[start])) return scan(c, first, last, d);
    int slope;
    int64_t found = climb(c, d, start, &slope);
    for (int i = 0; i < 8; i++) {
        if (slope || on_slope(c, d, found)) break;
        int64_t higher = leave_plateau(c, first, last, d, found);
        if (higher == found) break;
        found = climb(c, d, higher, &slope);
    }
    return found;
}

static inline Feature feature(int code, double l0, double l1, double l2, Vec v, double height)
{
    Feature f = {code, {l0, l1, l2}, v, height};
    return f;
}

static inline Feature of_segment(Vec a, Vec b)
{
    Vec ab = minus(b, a);
    double to_b = -dot(a, ab), to_a = dot(b, ab);
    if (!(to_b > 0)) return feature(1, 1, 0, 0, a, 0);
    if (!(to_a > 0)) return feature(2, 0, 1, 0, b, 0);
    return feature(3, to_a, to_b, 0, scaled(cross(ab, cross(a, ab)), 1 / dot(ab, ab)), 0);
}

static inline Feature of_triangle(Vec a, Vec b, Vec c)
{
    Vec ab = minus(b, a), ac = minus(c, a), bc = minus(c, b), normal = cross(ab, ac);
    Vec over_a = cross(b, bc), over_b = cross(ac, a), over_c = cross(a, ab);
    double la = dot(normal, over_a), lb = dot(normal, over_b), lc = dot(normal, over_c);
    if (la > 0 && lb > 0 && lc > 0) {
        double height = dot(normal, a);
        return feature(7, la, lb, lc, scaled(normal, height / dot(normal, normal)), height);
    }
    double a_to_b = -dot(a, ab), b_to_a = dot(b, ab), a_to_c = -dot(a, ac), c_to_a = dot(c, ac);
    double b_to_c = -dot(b, bc), c_to_b = dot(c, bc);
    if (!(la > 0) && b_to_c > 0 && c_to_b > 0)
        return feature(6, 0, c_to_b, b_to_c, scaled(cross(bc, over_a), 1 / dot(bc, bc)), 0);
    if (!(lb > 0) && a_to_c > 0 && c_to_a > 0)
        return feature(5, c_to_a, 0, a_to_c, scaled(cross(over_b, ac), 1 / dot(ac, ac)), 0);
    if (!(lc > 0) && a_to_b > 0 && b_to_a > 0)
        return feature(3, b_to_a, a_to_b, 0, scaled(cross(ab, over_c), 1 / dot(ab, ab)), 0);
    double aa = dot(a, a), bb = dot(b, b), cc = dot(c, c);
    if (!(aa < cc || bb < cc)) return feature(4, 0, 0, 1, c, 0);
    if (!(aa < bb)) return feature(2, 0, 1, 0, b, 0);
    return feature(1, 1, 0, 0, a, 0);
}

static inline Feature of_new_corner(Vec a, Vec b, Vec c, Vec d)
{
    Vec da = minus(a, d), db = minus(b, d), dc = minus(c, d);
    Vec n_ab = cross(da, db), n_bc = cross(db, dc), n_ca = cross(dc, da);
    double out_ab = -dot(n_ab, d), out_bc = -dot(n_bc, d), out_ca = -dot(n_ca, d);
    if (!(out_ab > 0 || out_bc > 0 || out_ca > 0)) return feature(15, -out_bc, -out_ca, -out_ab, d, 0);
    Vec over_a = cross(d, da), over_b = cross(d, db), over_c = cross(d, dc);
    double ab_b = dot(n_ab, over_a), ab_a = -dot(n_ab, over_b);
    if (out_ab > 0 && ab_a > 0 && ab_b > 0) {
        double square = dot(n_ab, n_ab), rest = square - ab_a - ab_b;
        return feature(rest > 0 ? 11 : 16, ab_a, ab_b, rest, scaled(n_ab, -out_ab / square), 0);
    }
    double bc_c = dot(n_bc, over_b), bc_b = -dot(n_bc, over_c);
    if (out_bc > 0 && bc_b > 0 && bc_c > 0) {
        double square = dot(n_bc, n_bc), rest = square - bc_b - bc_c;
        return feature(rest > 0 ? 14 : 16, rest, bc_b, bc_c, scaled(n_bc, -out_bc / square), 0);
    }
    double ca_a = dot(n_ca, over_c), ca_c = -dot(n_ca, over_a);
    if (out_ca > 0 && ca_c > 0 && ca_a > 0) {
        double square = dot(n_ca, n_ca), rest = square - ca_c - ca_a;
        return feature(rest > 0 ? 13 : 16, ca_a, rest, ca_c, scaled(n_ca, -out_ca / square), 0);
    }
    double to_a = -dot(d, da), to_b = -dot(d, db), to_c = -dot(d, dc);
    if (to_a > 0 && !(ab_b > 0) && !(ca_c > 0)) {
        double square = dot(da, da);
        return feature(square > to_a ? 9 : 16, to_a, square - to_a, 0, scaled(cross(da, over_a), 1 / square), 0);
    }
    if (to_b > 0 && !(bc_c > 0) && !(ab_a > 0)) {
        double square = dot(db, db);
        return feature(square > to_b ? 10 : 16, square - to_b, to_b, 0, scaled(cross(db, over_b), 1 / square), 0);
    }
    if (to_c > 0 && !(ca_a > 0) && !(bc_b > 0)) {
        double square = dot(dc, dc);
        return feature(square > to_c ? 12 : 16, square - to_c, to_c, 0, scaled(cross(dc, over_c), 1 / square), 0);
    }
    if (!(to_a > 0 || to_b > 0 || to_c > 0)) return feature(8, 1, 0, 0, d, 0);
    return feature(16, 1, 0, 0, d, 0);
}

static inline Vec difference(const Corners *c, int64_t i, int64_t j, Vec shift)
{
    return plus(minus(corner(c, i), corner(c, j)), shift);
}

static inline Answer nearest(const Corners *c, int64_t a_first, int64_t a_last, int64_t b_first, int64_t b_last, Vec shift,
                             const Simplex *start)
{
    Vec w[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, last = {0, 0, 0}, v = {0, 0, 0};
    int64_t a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0}, ia = a_first, ib = b_first, iteration;
    double l[4] = {1, 0, 0, 0}, square = 0, largest = 0;
    int n = 0, searched = start->count == 0;
    if (!searched) {
        n = (start->count < 3 ? start->count : 3) - 1;
        for (int i = 0; i <= n; i++) {
            ia = a[i] = start->a[i];
            ib = b[i] = start->b[i];
            last = difference(c, ia, ib, shift);
            largest = fmax(largest, dot(last, last));
            if (i < n) w[i] = last;
        }
    } else {
        v = plus(minus(middle(c, a_first, a_last), middle(c, b_first, b_last)), shift);
        ia = foothold(c, a_first, a_last, scaled(v, -1));
        ib = foothold(c, b_first, b_last, v);
    }
    for (iteration = 0; iteration < LIMIT; iteration++) {
        if (searched) {
            ia = support(c, a_first, a_last, scaled(v, -1), ia);
            ib = support(c, b_first, b_last, v, ib);
            last = difference(c, ia, ib, shift);
            largest = fmax(largest, dot(last, last));
            if (n > 0) {
                double gap = square - dot(v, last);
                if (!(gap > 0 && gap * gap > TINY * TINY * square * largest)) break;
                if ((ia == a[0] && ib == b[0]) || (n > 1 && ia == a[1] && ib == b[1]) || (n > 2 && ia == a[2] && ib == b[2]))
                    break;
            }
        }
        if (n == 0) {
            n = 1;
            w[0] = v = last; a[0] = ia; b[0] = ib;
        } else if (n == 1) {
            Feature f = of_segment(w[0], last);
            if (f.code == 1 && searched) break;
            v = f.v;
            if (f.code == 2) { w[0] = last; a[0] = ia; b[0] = ib; }
            else if (f.code == 3) { n = 2; w[1] = last; a[1] = ia; b[1] = ib; l[0] = f.l[0]; l[1] = f.l[1]; }
        } else if (n == 2) {
            Feature f = of_triangle(w[0], w[1], last);
            if (searched && f.code < 4) break;
            v = f.v;
            l[0] = f.l[0]; l[1] = f.l[1]; l[2] = f.l[2];
            if (f.code == 7) {
                n = 3;
                if (f.height > 0) {
                    w[2] = w[1]; a[2] = a[1]; b[2] = b[1]; l[2] = f.l[1];
                    w[1] = last; a[1] = ia; b[1] = ib; l[1] = f.l[2];
                } else { w[2] = last; a[2] = ia; b[2] = ib; }
            } else if (f.code == 6) { w[0] = last; a[0] = ia; b[0] = ib; l[0] = f.l[2]; }
            else if (f.code == 5) { w[1] = last; a[1] = ia; b[1] = ib; l[1] = f.l[2]; }
            else if (f.code != 3) {
                n = 1;
                if (f.code == 4) { w[0] = last; a[0] = ia; b[0] = ib; }
                else if (f.code == 2) { w[0] = w[1]; a[0] = a[1]; b[0] = b[1]; }
            }
        } else {
            Feature f = of_new_corner(w[0], w[1], w[2], last);
            l[0] = f.l[0]; l[1] = f.l[1]; l[2] = f.l[2];
            if (f.code >= 15) { n = 4; a[3] = ia; b[3] = ib; square = 0; break; }
            v = f.v;
            if (f.code == 11) { w[2] = last; a[2] = ia; b[2] = ib; }
            else if (f.code == 14) { w[0] = last; a[0] = ia; b[0] = ib; }
            else if (f.code == 13) { w[1] = last; a[1] = ia; b[1] = ib; }
            else if (f.code == 9) { n = 2; w[1] = last; a[1] = ia; b[1] = ib; }
            else if (f.code == 10) { n = 2; w[0] = last; a[0] = ia; b[0] = ib; }
            else if (f.code == 12) { n = 2; w[0] = last; a[0] = ia; b[0] = ib; w[1] = w[2]; a[1] = a[2]; b[1] = b[2]; }
            else { n = 1; w[0] = last; a[0] = ia; b[0] = ib; }
        }
        searched = 1;
        square = dot(v, v);
        if (!(square > TINY * TINY * largest)) break;
    }
    Answer r;
    double total = n == 1 ? l[0] = 1 : n == 2 ? l[0] + l[1] : l[0] + l[1] + l[2];
    r.simplex.count = n;
    for (int i = 0; i < 4; i++) {
        r.simplex.a[i] = a[i];
        r.simplex.b[i] = b[i];
        r.weight[i] = i < n ? l[i] / total : 0;
    }
    r.iterations = iteration;
    r.distance = square <= TINY * TINY * largest ? 0 : sqrt(square);
    r.n = r.distance > 0 ? scaled(v, 1 / r.distance) : vec(0, 0, 0);
    return r;
}

/* Queries of part A in `poses` poses, `count` places after one another, against part B; forth and back, `rounds` times, B in
   the next of its `turns` poses each time.
   Warm: each query starts with the last simplex, moved to the places of its pose. Returns the sum of all distances. */
double queries(const double *position, const int32_t *vertex, const int32_t *neighbour_start, const int32_t *neighbour,
               int64_t poses, int64_t count, int64_t turns, int64_t rounds, int64_t warm, double *out)
{
    Corners c = {position, vertex, neighbour_start, neighbour};
    int64_t pose = 0, way = 1, iterations = 0;
    double sum = 0;
    Simplex kept = {0, {0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int64_t q = 0; q < 2 * rounds * (poses - 1); q++) {
        int64_t b_first = (poses + q / (2 * (poses - 1)) % turns) * count;
        if (!warm) kept.count = 0;
        Answer r = nearest(&c, pose * count, (pose + 1) * count, b_first, b_first + count, vec(0, 0, 0), &kept);
        kept = r.simplex;
        sum += r.distance + 1e-30 * (r.n.x + r.weight[0]);
        iterations += r.iterations;
        out[pose] = r.distance;
        if (pose + way < 0 || pose + way >= poses) way = -way;
        pose += way;
        for (int i = 0; i < 4; i++) kept.a[i] += way * count;
    }
    out[poses] = (double)iterations / (2 * rounds * (poses - 1));
    return sum;
}
