import type { Wording } from '../languages/index.js';

const CARD = /^(.+) ending (\d{4})$/;

/** The label of a card in words, such as `Visa ending 4242`. A label in another form stays as the gateway wrote it. */
export function cardText(label: string, { payment }: Wording): string {
  const [, brand, lastDigits] = CARD.exec(label) ?? [];
  return brand && lastDigits ? payment.card(brand, lastDigits) : label;
}
