import type { Wording } from '../languages/index.js';

/** The labels of gateways: `Visa ending 4242` of the sandbox, and `Visa •••• 4242` of Stripe. */
const CARD = /^(.+) (?:ending|••••) (\d{4})$/;
/** What Stripe's label has in the place of a brand that is not known. */
const UNKNOWN_BRAND = 'Card';

/** The label of a card in words, such as `Visa ending 4242`. A label in another form stays as the gateway wrote it. */
export function cardText(label: string, { payment }: Wording): string {
  const [, brand, lastDigits] = CARD.exec(label) ?? [];
  if (!brand || !lastDigits) return label;
  return payment.card(brand === UNKNOWN_BRAND ? payment.methods.card : brand, lastDigits);
}
