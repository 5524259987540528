import { Decimal } from '#libs/kernel/core';

/** A decimal class with enough precision for every number that an event can have. The usage library sums with the same precision. */
export const ExactDecimal = Decimal.clone({ precision: 250 });
