; What NVPTX has no run-time library for; see runtime_library.rs. All is `linkonce_odr`: linked where it is asked for, and only there.

; Memory, as in C.

define linkonce_odr i32 @memcmp(ptr %a, ptr %b, i64 %length) {
start:
  %is.empty = icmp eq i64 %length, 0
  br i1 %is.empty, label %equal, label %byte
byte:
  %i = phi i64 [ 0, %start ], [ %next, %same ]
  %at.a = getelementptr i8, ptr %a, i64 %i
  %at.b = getelementptr i8, ptr %b, i64 %i
  %x = load i8, ptr %at.a
  %y = load i8, ptr %at.b
  %is.same = icmp eq i8 %x, %y
  br i1 %is.same, label %same, label %different
same:
  %next = add i64 %i, 1
  %is.more = icmp ult i64 %next, %length
  br i1 %is.more, label %byte, label %equal
different:
  %x.wide = zext i8 %x to i32
  %y.wide = zext i8 %y to i32
  %difference = sub i32 %x.wide, %y.wide
  ret i32 %difference
equal:
  ret i32 0
}

define linkonce_odr i32 @bcmp(ptr %a, ptr %b, i64 %length) {
  %order = call i32 @memcmp(ptr %a, ptr %b, i64 %length)
  ret i32 %order
}

define linkonce_odr i64 @strlen(ptr %text) {
start:
  br label %byte
byte:
  %i = phi i64 [ 0, %start ], [ %next, %byte ]
  %next = add i64 %i, 1
  %at = getelementptr i8, ptr %text, i64 %i
  %x = load i8, ptr %at
  %is.end = icmp eq i8 %x, 0
  br i1 %is.end, label %end, label %byte
end:
  ret i64 %i
}

; The remainder of a division of floats, as C's `fmod`: exact, with the sign of the first.
;
; Both are whole numbers times a power of two. The first one's is divided by the second one's, eleven binary places further each time
; (53 bits and 11 are 64), until both powers are the same.

declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)

define linkonce_odr double @__lanewise_rem_f64(double %x, double %y) {
start:
  %x.raw = bitcast double %x to i64
  %y.raw = bitcast double %y to i64
  %x.bits = and i64 %x.raw, 9223372036854775807
  %y.bits = and i64 %y.raw, 9223372036854775807
  %sign = and i64 %x.raw, -9223372036854775808
  %y.is.zero = icmp eq i64 %y.bits, 0
  %y.is.nan = icmp ugt i64 %y.bits, 9218868437227405312
  %x.is.no.number = icmp uge i64 %x.bits, 9218868437227405312
  %y.is.bad = or i1 %y.is.zero, %y.is.nan
  %is.nan = or i1 %y.is.bad, %x.is.no.number
  br i1 %is.nan, label %nan, label %numbers
nan:
  ret double 0x7FF8000000000000
numbers:
  %is.smaller = icmp ult i64 %x.bits, %y.bits
  br i1 %is.smaller, label %same, label %divide
same:
  ret double %x
divide:
  %x.power.raw = lshr i64 %x.bits, 52
  %y.power.raw = lshr i64 %y.bits, 52
  %x.power = call i64 @llvm.umax.i64(i64 %x.power.raw, i64 1)
  %y.power = call i64 @llvm.umax.i64(i64 %y.power.raw, i64 1)
  %x.fraction = and i64 %x.bits, 4503599627370495
  %y.fraction = and i64 %y.bits, 4503599627370495
  %x.is.normal = icmp ne i64 %x.power.raw, 0
  %y.is.normal = icmp ne i64 %y.power.raw, 0
  %x.top = select i1 %x.is.normal, i64 4503599627370496, i64 0
  %y.top = select i1 %y.is.normal, i64 4503599627370496, i64 0
  %x.digits = or i64 %x.fraction, %x.top
  %y.digits = or i64 %y.fraction, %y.top
  %first = urem i64 %x.digits, %y.digits
  %places.all = sub i64 %x.power, %y.power
  br label %more
more:
  %digits = phi i64 [ %first, %divide ], [ %next, %step ]
  %places = phi i64 [ %places.all, %divide ], [ %places.left, %step ]
  %is.done = icmp eq i64 %places, 0
  br i1 %is.done, label %done, label %step
step:
  %count = call i64 @llvm.umin.i64(i64 %places, i64 11)
  %shifted = shl i64 %digits, %count
  %next = urem i64 %shifted, %y.digits
  %places.left = sub i64 %places, %count
  br label %more
done:
  %zeros = call i64 @llvm.ctlz.i64(i64 %digits, i1 false)
  %up = sub i64 %zeros, 11
  %is.normal = icmp ugt i64 %y.power, %up
  %lowest = sub i64 %y.power, 1
  %shift.normal = select i1 %is.normal, i64 %up, i64 %lowest
  %shift = and i64 %shift.normal, 63
  %moved = shl i64 %digits, %shift
  %power.normal = sub i64 %y.power, %up
  %power = select i1 %is.normal, i64 %power.normal, i64 0
  %power.bits = shl i64 %power, 52
  %fraction = and i64 %moved, 4503599627370495
  %size.number = or i64 %fraction, %power.bits
  %is.zero = icmp eq i64 %digits, 0
  %size = select i1 %is.zero, i64 0, i64 %size.number
  %bits = or i64 %size, %sign
  %result = bitcast i64 %bits to double
  ret double %result
}

define linkonce_odr float @__lanewise_rem_f32(float %x, float %y) {
  %x.wide = fpext float %x to double
  %y.wide = fpext float %y to double
  %wide = call double @__lanewise_rem_f64(double %x.wide, double %y.wide)
  %result = fptrunc double %wide to float
  ret float %result
}

; Conversions between 128-bit integers and floats, with 64-bit ones and shifts.
;
; To a float: the number is shifted until its highest bit is bit 127. The upper 64 bits, with a 1 at the end if anything is set below
; them, are rounded once, by the conversion from 64 bits; what was shifted comes off the exponent.
; To an integer: the 53 bits of the fraction are shifted to where the exponent says. Not-a-number is zero, and what does not fit
; is the nearest number that does.

declare i128 @llvm.ctlz.i128(i128, i1)

define linkonce_odr double @__lanewise_u128_to_f64(i128 %x) {
  %is.zero = icmp eq i128 %x, 0
  %zeros = call i128 @llvm.ctlz.i128(i128 %x, i1 false)
  %shift = select i1 %is.zero, i128 0, i128 %zeros
  %top = shl i128 %x, %shift
  %upper = lshr i128 %top, 64
  %upper64 = trunc i128 %upper to i64
  %lower64 = trunc i128 %top to i64
  %has.rest = icmp ne i64 %lower64, 0
  %rest = zext i1 %has.rest to i64
  %digits = or i64 %upper64, %rest
  %rounded = uitofp i64 %digits to double
  %bits = bitcast double %rounded to i64
  %shift64 = trunc i128 %shift to i64
  %power = sub i64 64, %shift64
  %exponent = shl i64 %power, 52
  %scaled = add i64 %bits, %exponent
  %result = select i1 %is.zero, i64 0, i64 %scaled
  %float = bitcast i64 %result to double
  ret double %float
}

define linkonce_odr float @__lanewise_u128_to_f32(i128 %x) {
  %is.zero = icmp eq i128 %x, 0
  %zeros = call i128 @llvm.ctlz.i128(i128 %x, i1 false)
  %shift = select i1 %is.zero, i128 0, i128 %zeros
  %top = shl i128 %x, %shift
  %upper = lshr i128 %top, 64
  %upper64 = trunc i128 %upper to i64
  %lower64 = trunc i128 %top to i64
  %has.rest = icmp ne i64 %lower64, 0
  %rest = zext i1 %has.rest to i64
  %digits = or i64 %upper64, %rest
  %rounded = uitofp i64 %digits to float
  %bits = bitcast float %rounded to i32
  %shift32 = trunc i128 %shift to i32
  %power = sub i32 64, %shift32
  %exponent = shl i32 %power, 23
  %scaled = add i32 %bits, %exponent
  %result = select i1 %is.zero, i32 0, i32 %scaled
  %float = bitcast i32 %result to float
  ret float %float
}

define linkonce_odr double @__lanewise_i128_to_f64(i128 %x) {
  %is.negative = icmp slt i128 %x, 0
  %negated = sub i128 0, %x
  %size = select i1 %is.negative, i128 %negated, i128 %x
  %positive = call double @__lanewise_u128_to_f64(i128 %size)
  %negative = fneg double %positive
  %float = select i1 %is.negative, double %negative, double %positive
  ret double %float
}

define linkonce_odr float @__lanewise_i128_to_f32(i128 %x) {
  %is.negative = icmp slt i128 %x, 0
  %negated = sub i128 0, %x
  %size = select i1 %is.negative, i128 %negated, i128 %x
  %positive = call float @__lanewise_u128_to_f32(i128 %size)
  %negative = fneg float %positive
  %float = select i1 %is.negative, float %negative, float %positive
  ret float %float
}

; The whole part of a finite float's size, modulo 2^128.
define linkonce_odr i128 @__lanewise_f64_size(i64 %bits) {
  %raised = lshr i64 %bits, 52
  %biased = and i64 %raised, 2047
  %power = sub i64 %biased, 1023
  %fraction = and i64 %bits, 4503599627370495
  %digits64 = or i64 %fraction, 4503599627370496
  %digits = zext i64 %digits64 to i128
  %is.fraction = icmp slt i64 %power, 0
  %is.small = icmp slt i64 %power, 52
  %places.right = sub i64 52, %power
  %places.left = sub i64 %power, 52
  %right64 = and i64 %places.right, 127
  %left64 = and i64 %places.left, 127
  %right = zext i64 %right64 to i128
  %left = zext i64 %left64 to i128
  %small = lshr i128 %digits, %right
  %large = shl i128 %digits, %left
  %shifted = select i1 %is.small, i128 %small, i128 %large
  %whole = select i1 %is.fraction, i128 0, i128 %shifted
  ret i128 %whole
}

define linkonce_odr i128 @__lanewise_f64_to_u128(double %x) {
  %bits = bitcast double %x to i64
  %size = call i128 @__lanewise_f64_size(i64 %bits)
  %is.positive = fcmp ogt double %x, 0.0
  %is.large = fcmp oge double %x, 0x47F0000000000000
  %fitted = select i1 %is.large, i128 -1, i128 %size
  %result = select i1 %is.positive, i128 %fitted, i128 0
  ret i128 %result
}

define linkonce_odr i128 @__lanewise_f64_to_i128(double %x) {
  %bits = bitcast double %x to i64
  %size = call i128 @__lanewise_f64_size(i64 %bits)
  %negated = sub i128 0, %size
  %is.negative = fcmp olt double %x, 0.0
  %whole = select i1 %is.negative, i128 %negated, i128 %size
  %is.large = fcmp oge double %x, 0x47E0000000000000
  %is.low = fcmp olt double %x, 0xC7E0000000000000
  %is.nan = fcmp uno double %x, 0.0
  %capped = select i1 %is.large, i128 170141183460469231731687303715884105727, i128 %whole
  %fitted = select i1 %is.low, i128 -170141183460469231731687303715884105728, i128 %capped
  %result = select i1 %is.nan, i128 0, i128 %fitted
  ret i128 %result
}

define linkonce_odr i128 @__lanewise_f32_to_u128(float %x) {
  %wide = fpext float %x to double
  %result = call i128 @__lanewise_f64_to_u128(double %wide)
  ret i128 %result
}

define linkonce_odr i128 @__lanewise_f32_to_i128(float %x) {
  %wide = fpext float %x to double
  %result = call i128 @__lanewise_f64_to_i128(double %wide)
  ret i128 %result
}
