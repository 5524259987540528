import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BILLING_DEFAULTS, invoiceDecider, type InvoiceEvent, type Seller } from '#libs/contexts/invoicing';
import type { Language } from '#libs/kernel/core';
import { eCreditNoteSample } from '../../../test/support/e-invoicing.js';
import { invoiceOf, sampleEvents, sampleMethod, sampleSeller } from '../../../test/support/sample-invoice.js';
import { makeHostedInvoicePage } from './hosted-invoice.js';
import { compileTemplate } from './templates/engine.js';

const { created, opened, started, declined, needsAction, succeeded, paid, voided } = sampleEvents;
const visa = { cardOnFile: 'Visa ending 4242', canTakePayments: true, canAddCard: true, isSandbox: true };
const open = [created(), opened()];

/** The page's body, which is the visible part. */
const body = (events: Parameters<typeof invoiceOf>, payment = visa) =>
  makeHostedInvoicePage(invoiceOf(...events), 'TOKEN', 'Contoso', payment).html.split('<body>')[1]!;

describe('the hosted page', () => {
  it('offers to pay with the card on file', () => {
    expect(body(open)).toMatch(/action="TOKEN\/pay"><input [^>]*><button>Pay \$133\.34<\/button>/);
    expect(body(open)).toContain('Visa ending 4242 will be charged.');
  });

  it('says that a card was declined and offers to try again', () => {
    const html = body([...open, started(), declined()]);
    expect(html).toContain('The payment with Visa ending 4242 did not go through: The card was declined.');
    expect(html).toContain('action="TOKEN/pay"');
  });

  it('asks for the confirmation that the bank wants', () => {
    const html = body([...open, started(), needsAction()]);
    expect(html).toContain('action="TOKEN/confirm"');
    expect(html).not.toContain('action="TOKEN/pay"');
  });

  it('says in its own words why the bank or Stripe refused', () => {
    const stripe = started(1, { method: { ...sampleMethod, label: 'Visa •••• 3184' } });
    const failed = (code: string): InvoiceEvent => {
      const { type, data } = declined();
      return { type, data: { ...data, code, message: 'The provided PaymentMethod has failed.' } };
    };
    expect(body([...open, stripe, failed('payment_intent_authentication_failure')])).toContain(
      'The payment with Visa ending 3184 did not go through: The payment was not confirmed at the bank.',
    );
    expect(body([...open, stripe, failed('resource_missing')])).toContain(
      'did not go through: The card could not be charged.',
    );
  });

  it('offers a new payment if the payment to confirm is larger than the remaining amount', () => {
    const before = [...open, started(), needsAction()];
    const credit = { reason: 'other', memo: null, credit: { amount: '33.34' }, target: null } as const;
    const credited = invoiceDecider.decide(
      {
        type: 'IssueCreditNote',
        invoiceId: 'inv_1',
        creditNoteId: 'cn_1',
        at: '2023-12-20T00:00:00.000Z',
        ...credit,
      },
      invoiceOf(...before),
    );
    const html = body([...before, ...credited]);
    expect(html).toMatch(/action="TOKEN\/pay"><input [^>]*><button>Pay \$100\.00<\/button>/);
    expect(html).not.toContain('action="TOKEN/confirm"');
  });

  it('offers nothing while a payment is in progress, and reloads by itself', () => {
    const page = makeHostedInvoicePage(invoiceOf(...open, started()), 'TOKEN', null, visa).html;
    expect(page).not.toContain('<form');
    expect(page).toContain('http-equiv="refresh"');
  });

  it('has a receipt once the invoice is paid', () => {
    expect(body([...open, started(), succeeded(), paid()])).toContain(
      '<a href="TOKEN/receipt">Download receipt</a>',
    );
    expect(body(open)).not.toContain('receipt');
  });

  it('lists all credit notes for download, including void ones', () => {
    const issued = invoiceOf(...open);
    const note = eCreditNoteSample(issued, { amount: '5.00' });
    const voided = {
      ...note,
      creditNoteId: 'cn_2',
      number: 'CN-000002',
      voidedAt: '2023-12-20T00:00:00.000Z',
      voidReason: null,
    };
    const unnumbered = { ...note, creditNoteId: 'cn_3', number: null };
    const invoice = { ...issued, creditNotes: [{ ...note, number: 'CN-000001' }, voided, unnumbered] };
    const html = makeHostedInvoicePage(invoice, 'TOKEN', null, visa).html.split('<body>')[1]!;
    expect(html).toContain('<h2>Credit notes</h2>');
    expect(html).toContain(`<a href="TOKEN/credit-notes/${note.creditNoteId}/pdf">CN-000001 (PDF)</a>`);
    expect(html).toContain('<a href="TOKEN/credit-notes/cn_2/pdf">CN-000002 (PDF)</a>');
    expect(html).toMatch(/\$5\.00 · void since 20 Dec 2023/);
    expect(html).not.toContain('cn_3');
    expect(body(open)).not.toContain('Credit notes');
  });

  const noCard = { ...visa, cardOnFile: null } as unknown as typeof visa;

  it('takes a test card in a sandbox, and leads to the page of the payment processor otherwise', () => {
    const html = body(open, noCard);
    expect(html).toMatch(/action="TOKEN\/card"><input [^>]*>\s*<fieldset><legend>Test card<\/legend>/);
    expect(html).toContain(
      '<input type="radio" name="test" value="pm_card_chargeDeclined"><span>0002 – The card was declined.</span>',
    );
    expect(html.match(/ checked>/g)).toHaveLength(1);
    expect(html).toContain('<button>Pay $133.34 by card</button>');
    expect(html).not.toContain('no card on file');
    const live = body(open, { ...noCard, isSandbox: false });
    expect(live).toMatch(/action="TOKEN\/card"><input [^>]*>\s*<button>Pay \$133\.34 by card<\/button>/);
    expect(live).toContain(
      'You enter the card on a secure page of our payment processor. The card is kept for',
    );
    expect(live).not.toContain('type="radio"');
  });

  it('takes another card if the one on file did not pay', () => {
    expect(body(open)).not.toContain('TOKEN/card');
    expect(body([...open, started(), needsAction()])).toMatch(
      /TOKEN\/confirm"[^]*class="other">[^]*<button>Pay \$133\.34 with another card<\/button>/,
    );
    expect(body([...open, started()])).not.toContain('TOKEN/card');
  });

  it('offers another card first after a decline, and the declined one second', () => {
    const after = [...open, started(), declined()];
    expect(body(after)).toMatch(
      /TOKEN\/card"><input[^]*<button>Pay \$133\.34 with another card<\/button>[^]*TOKEN\/pay" class="other"><input [^>]*><button>Try this card again<\/button>[^]*Visa ending 4242 will be charged\./,
    );
    // The default card has not been tried yet.
    expect(body(after, { ...visa, cardOnFile: 'Mastercard ending 4444' })).toMatch(
      /TOKEN\/pay"><input [^>]*><button>Pay \$133\.34<\/button>[^]*TOKEN\/card" class="other">/,
    );
    const { type, data } = declined();
    const unconfirmed = { type, data: { ...data, code: 'payment_intent_authentication_failure' } };
    expect(body([...open, started(), unconfirmed])).toMatch(
      /TOKEN\/pay"><input [^>]*><button>Pay \$133\.34<\/button>[^]*TOKEN\/card" class="other">/,
    );
    // No other card can be entered.
    expect(body(after, { ...visa, canAddCard: false })).toMatch(
      /TOKEN\/pay"><input [^>]*><button>Try this card again</,
    );
  });

  it('says which attempt a further decline was of, and when', () => {
    const again = (attempt: number, at: string): InvoiceEvent[] => {
      const { type, data } = declined();
      const attemptId = `pay_${attempt}`;
      return [started(attempt, { at }), { type, data: { ...data, attempt, attemptId, at } }];
    };
    const once = body([...open, ...again(1, '2023-12-16T09:00:00.000Z')]);
    expect(once).not.toContain('attempt');
    const [second, third] = [again(2, '2023-12-16T09:30:00.000Z'), again(3, '2023-12-16T09:30:30.000Z')];
    const twice = [...open, ...again(1, '2023-12-16T09:00:00.000Z'), ...second];
    expect(body(twice)).toContain(
      'The card was declined. This was attempt 2, on 16 December 2023 at 09:30 UTC.',
    );
    expect(body([...twice, ...third])).toContain('This was attempt 3, on 16 December 2023 at 09:30 UTC.');
  });

  it('says since when an invoice is overdue, while it is owed', () => {
    const due = '2024-01-15T00:00:00.000Z';
    const at = (now: string, events: InvoiceEvent[] = open) => {
      const html = makeHostedInvoicePage(invoiceOf(...events), 'TOKEN', null, { ...visa, now }).html;
      return html.split('<body>')[1]!.split('class="sheet"')[0]!;
    };
    expect(at('2024-01-14T23:59:59.999Z')).toContain('due 15 Jan 2024');
    expect(at(due)).toContain('due 15 Jan 2024');
    const overdue = at('2024-01-16T00:00:00.000Z');
    expect(overdue).toMatch(/class="when overdue">overdue since 15 Jan 2024</);
    expect(at('2024-02-01T00:00:00.000Z', [...open, started(), succeeded(), paid()])).not.toContain(
      'overdue',
    );
  });

  it('sends the amount that it shows with each form', () => {
    const amounts = (html: string) =>
      [...html.matchAll(/name="amount" value="([^"]*)"/g)].map(([, one]) => one);
    expect(amounts(body(open))).toEqual(['133.34']);
    expect(amounts(body(open, noCard))).toEqual(['133.34']);
    expect(amounts(body([...open, started(), declined()]))).toEqual(['133.34', '133.34']);
  });

  it('says that the amount has changed while something is owed', () => {
    const changed = { ...visa, amountHasChanged: true };
    const text = 'The amount of this invoice has changed, so nothing was charged.';
    expect(body(open, changed)).toContain(text);
    expect(body(open, { ...changed, cardOnFile: null as never })).toContain(text);
    for (const rest of [[started()], [started(), succeeded(), paid()], [voided()]])
      expect(body([...open, ...rest], changed)).not.toContain(text);
  });

  it('takes no card while the balance pays', () => {
    const { invoiceId, customerId, currency, total, at } = opened().data;
    const paying: InvoiceEvent = {
      type: 'BalancePaymentStarted',
      data: { invoiceId, customerId, currency, total, at, paymentId: 'bpay_1', amount: '5.00' },
    };
    for (const payment of [visa, noCard]) {
      const html = body([...open, paying], payment);
      expect(html).toContain('being processed');
      expect(html).not.toContain('<form');
    }
  });

  it('names the bank account beside the card', () => {
    const withAccount = created({ settings: { ...BILLING_DEFAULTS, seller: sampleSeller } });
    const html = body([withAccount, opened()], noCard);
    expect(html).toContain('You can pay by bank transfer');
    expect(html).toContain('TOKEN/card');
  });

  it('says how else to pay when there is no card and none can be entered', () => {
    const bare = { ...noCard, canAddCard: false };
    expect(body(open, bare)).toContain('There is no card on file to pay with. Please ask the sender');
    expect(body([...open, started(), declined()], bare)).toContain(
      'did not go through: The card was declined. There is no card on file to pay with. Please ask the sender',
    );
    const withAccount = created({ settings: { ...BILLING_DEFAULTS, seller: sampleSeller } });
    const html = body([withAccount, opened()], bare);
    expect(html).toContain('There is no card on file to pay with. You can pay by bank transfer');
    expect(html).not.toContain('Please ask the sender');
  });

  const small = { total: '0.30', lines: [] };
  const smallCharge = { total: '0.30', amount: '0.30' } as const;
  const smallOf = (language: Language, seller: Seller | undefined = undefined) => [
    created({ ...small, settings: { ...BILLING_DEFAULTS, language, ...(seller ? { seller } : {}) } }),
    opened(small),
  ];
  const refused = (code: string): InvoiceEvent => {
    const { type, data } = declined();
    return { type, data: { ...data, code, message: 'Refused.' } };
  };

  it.each([
    ['en', 'This amount cannot be paid by card. A card can be charged at least $0.50.'],
    [
      'de',
      'Dieser Betrag kann nicht mit Karte bezahlt werden. Mit Karte lassen sich mindestens 0,50\u00a0$ bezahlen.',
    ],
    ['fr', 'Ce montant ne peut pas être payé par carte. Le minimum par carte est de 0,50\u00a0$US.'],
    ['es', 'Este importe no se puede pagar con tarjeta. El mínimo con tarjeta es de 0,50\u00a0US$.'],
    ['ja', 'この金額はカードではお支払いいただけません。カードでのお支払いは$0.50以上です。'],
  ] as const)('takes no card for an amount that no card can pay: %s', (language, text) => {
    for (const payment of [visa, noCard])
      for (const events of [
        smallOf(language),
        [...smallOf(language), started(1, smallCharge), refused('amount_too_small')],
      ]) {
        const html = body(events, payment);
        expect(html).toContain(text);
        expect(html).not.toContain('<form');
      }
  });

  it('names the account for an amount that no card can pay, or the sender without one', () => {
    expect(body(smallOf('en', sampleSeller))).toMatch(
      /at least \$0\.50\. You can pay by bank transfer to the account given below\./,
    );
    expect(body(smallOf('en'))).toContain('at least $0.50. Please ask the sender how to pay.');
  });

  it('relies on what the processor refused in live, which knows the currency of the account', () => {
    const live = { ...visa, isSandbox: false };
    expect(body(smallOf('en'), live)).toContain('action="TOKEN/pay"');
    const html = body([...smallOf('en'), started(1, smallCharge), refused('amount_too_small')], live);
    expect(html).toContain('This amount cannot be paid by card. Please ask the sender how to pay.');
    expect(html).not.toContain('<form');
    const large = [...open, started(1, { amount: '200.00' }), refused('amount_too_large')];
    expect(body(large, live)).toContain('action="TOKEN/pay"');
  });

  it('offers nothing for a draft, a paid or a void invoice', () => {
    expect(body([created()])).not.toContain('<form');
    expect(body([...open, started(), succeeded(), paid()])).not.toContain('<form');
    expect(body([...open, voided()])).not.toContain('<form');
  });

  it('says why it cannot be paid without a card, or without a gateway', () => {
    expect(body(open, { ...visa, cardOnFile: null as never, canAddCard: false })).toContain(
      'There is no card on file',
    );
    const live = body(open, { ...visa, canTakePayments: false, isSandbox: false });
    expect(live).toContain('cannot be paid online');
    expect(live).not.toContain('Sandbox');
  });

  it('is in the language of the invoice', () => {
    const japanese = created({ settings: { ...BILLING_DEFAULTS, language: 'ja' } });
    const { html } = makeHostedInvoicePage(
      invoiceOf(japanese, opened(), started(), declined()),
      'TOKEN',
      'Contoso',
      visa,
    );
    expect(html).toContain('<html lang="ja">');
    expect(html).toContain('<button>別のカードで$133.34を支払う</button>');
    const declinedText = 'Visa（末尾 4242）でのお支払いができませんでした：カードが承認されませんでした。';
    expect(html).toContain(declinedText);
    const withoutCard = body([japanese, opened(), started(), declined()], {
      ...visa,
      cardOnFile: null as never,
      canAddCard: false,
    });
    expect(withoutCard).toContain(
      `${declinedText}お支払いに使えるカードが登録されていません。お支払い方法は発行元にお問い合わせください。`,
    );
  });

  it('lets the browser load nothing, and use only its own style sheet', () => {
    const { html, contentSecurityPolicy } = makeHostedInvoicePage(invoiceOf(...open), 'TOKEN', null, visa);
    const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(contentSecurityPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(html).not.toMatch(/<script| style=|https?:|src=/);
  });

  it('escapes what customers and sellers call themselves', () => {
    const hostile = `</style></p>"><script>alert(1)</script>{{constructor}}`;
    const html = makeHostedInvoicePage(
      invoiceOf(created({ billToName: hostile }), opened({ sellerName: hostile })),
      'TOKEN',
      null,
      visa,
    ).html;
    expect(html).not.toContain('<script');
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;{{constructor}}');
  });
});

describe('templates', () => {
  it('cannot leave a value unescaped', () => {
    expect(() => compileTemplate('{{{name}}}')).toThrow('escapes');
    expect(() => compileTemplate('{{& name}}')).toThrow('escapes');
  });

  it('fail if a value is missing, and use no inherited property of a value', () => {
    expect(() => compileTemplate('{{name}}')({})).toThrow('name');
    expect(compileTemplate('{{constructor}}')({})).toBe('');
  });
});
