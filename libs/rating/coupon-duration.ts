/** The number of invoices on which a coupon can be used. Each invoice that the coupon reduced counts as one use. */
export type CouponDuration =
  | { readonly type: 'once' }
  | { readonly type: 'repeating'; readonly invoices: number }
  | { readonly type: 'forever' };

/** Tells whether a coupon that was used on `uses` invoices still applies. */
export function hasUsesLeft(duration: CouponDuration, uses: number): boolean {
  switch (duration.type) {
    case 'once':
      return uses < 1;
    case 'repeating':
      return uses < duration.invoices;
    case 'forever':
      return true;
  }
}
