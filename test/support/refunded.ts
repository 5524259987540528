import type { MeasuredCharge, Period } from '#libs/rating';

/** Of a charge that is given back: the line that charged it, over `net`, of which all is left. */
export const refunded = (
  net: string,
  service: Period,
): Required<Pick<MeasuredCharge, 'refund' | 'remainingFee'>> => ({
  refund: { invoiceId: 'inv_before', service },
  remainingFee: { lineId: 'line_before', net, left: net },
});
