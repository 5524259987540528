import { Decimal } from '#libs/kernel/core';

/** Decimals with enough precision for every number of an event. The usage library sums with the same precision. */
export const Exact = Decimal.clone({ precision: 250 });
