import type { Wording } from '../languages/index.js';

const CARD = /^(.+) ending (\d{4})$/;

/** The label of a card in words: `Visa ending 4242`. A label of another form stays as the gateway has it. */
export function cardText(label: string, { payment }: Wording): string {
  const [, brand, lastDigits] = CARD.exec(label) ?? [];
  return brand && lastDigits ? payment.card(brand, lastDigits) : label;
}
