/** The names of card brands, by Stripe's codes (docs.stripe.com/api/payment_methods/object, `card.brand`). */
const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  discover: 'Discover',
  eftpos_au: 'eftpos Australia',
  jcb: 'JCB',
  link: 'Link',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** The name of a card for display, such as "Visa •••• 4242". */
export function cardLabel(brand: string, last4: string): string {
  return `${Object.hasOwn(BRANDS, brand) ? BRANDS[brand]! : 'Card'} •••• ${last4}`;
}
