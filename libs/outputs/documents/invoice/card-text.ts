import type { Wording } from '../languages/index.js';

/** Matches the card labels of the gateways: `Visa ending 4242` from the sandbox, and `Visa •••• 4242` from Stripe. */
const CARD = /^(.+) (?:ending|••••) (\d{4})$/;
/** The word that Stripe's label contains in place of an unknown card brand. */
const UNKNOWN_BRAND = 'Card';

/** The label of a card in words, such as `Visa ending 4242`. A card label in another form is returned as the gateway wrote it. */
export function cardText(label: string, { payment }: Wording): string {
  const [, brand, lastDigits] = CARD.exec(label) ?? [];
  if (!brand || !lastDigits) return label;
  return payment.card(brand === UNKNOWN_BRAND ? payment.methods.card : brand, lastDigits);
}
