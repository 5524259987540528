import { CARDS, type CardName } from './cards.ts';
import type { StripeLedger } from './ledger.ts';

/** The answer of a page: HTML, or the address to which the browser is sent. */
export type PageAnswer = { readonly html: string } | { readonly location: string };

/**
 * The pages that customers see: the one where a card is entered (`/checkout/:session`), and the one of a bank (`/bank/:intent`). Undefined
 * if there is no such page.
 */
export function pageAt(
  ledger: StripeLedger,
  method: string,
  path: string,
  form: URLSearchParams,
): PageAnswer | undefined {
  const [page, id = ''] = path.split('/').slice(1);
  if (page === 'checkout' && ledger.sessions.has(id))
    return method === 'POST' ? enterCard(ledger, id, form.get('card') as CardName) : checkoutPage(id);
  if (page === 'bank' && ledger.intents.has(id))
    return method === 'POST'
      ? answerBank(ledger, id, form.get('answer') === 'confirm')
      : bankPage(ledger, id);
  return undefined;
}

function checkoutPage(id: string): PageAnswer {
  const options = Object.entries(CARDS).map(
    ([name, { brand, last4 }]) => `<option value="${name}">${brand} ${last4} (${name})</option>`,
  );
  return form(
    `Save a card`,
    id,
    `<select name="card">${options.join('')}</select><button>Save card</button>`,
  );
}

function enterCard(ledger: StripeLedger, id: string, card: CardName): PageAnswer {
  ledger.completeSession(id, card);
  return { location: ledger.sessions.get(id)!.success_url };
}

function bankPage(ledger: StripeLedger, id: string): PageAnswer {
  const { amount, currency } = ledger.intents.get(id)!;
  const buttons = ['confirm', 'refuse'].map((one) => `<button name="answer" value="${one}">${one}</button>`);
  return form(`Confirm ${amount} ${currency}`, id, buttons.join(''));
}

function answerBank(ledger: StripeLedger, id: string, confirmed: boolean): PageAnswer {
  const back = new URL(ledger.intents.get(id)!.next_action!.redirect_to_url.return_url);
  ledger.answerBank(id, confirmed);
  back.searchParams.set('payment_intent', id);
  back.searchParams.set('redirect_status', confirmed ? 'succeeded' : 'failed');
  return { location: back.href };
}

function form(title: string, id: string, content: string): PageAnswer {
  return {
    html: `<!doctype html><title>${title}</title><h1>${title}</h1><form method="post" action="${id}">${content}</form>`,
  };
}
