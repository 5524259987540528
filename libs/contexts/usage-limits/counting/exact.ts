import { Decimal } from '#libs/kernel/core';

/**
 * A decimal class with enough precision for every number that a usage event can contain. The library `usage` sums quantities with the same
 * precision as `ExactDecimal`.
 */
export const ExactDecimal = Decimal.clone({ precision: 250 });
