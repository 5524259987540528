import { describe, expect, it, jest } from '@jest/globals';
import type { CreditNote, PaymentAttempt } from '#libs/contexts/invoicing';
import { LANGUAGES } from '#libs/kernel/core';
import { localeOf } from '#libs/outputs/documents';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { renderLetter } from '../templates/letter.js';
import { isAddressAllowedInSandbox } from './customer-mail-queue.js';
import {
  creditNoteLetter,
  dunningLetter,
  invoiceLetter,
  paymentFailedLetter,
  receiptLetter,
} from './customer-letters.js';

const brand = { logo: null, brandColor: '#FFE600' };
const frame = { sellerName: 'Contoso <GmbH>', customerName: 'Ada\nBcc: x', brand, isSandbox: true };

describe('a letter to a customer', () => {
  it.each(LANGUAGES)('is whole in %s, and shows names as they are', (language) => {
    const sample = invoiceOf(sampleEvents.created(), sampleEvents.opened());
    const linked = {
      invoice: { ...sample, settings: { ...sample.settings, language } },
      url: 'https://billing.example/i/1',
    };
    const payment = { amount: '33.34', toBalance: '3.34', paidAt: '2023-12-17T00:00:00.000Z' };
    const note = { number: 'CN-000007', reason: 'other', total: '20.00' } as CreditNote;
    const { creditNote } = localeOf(linked.invoice).words;
    // The document has this name, and the name of a document with tax is a matter of law.
    expect(creditNoteLetter(frame, linked, note).subject).toContain(`${creditNote} CN-000007`);
    const letters = [
      creditNoteLetter(frame, linked, note),
      invoiceLetter(frame, linked),
      receiptLetter(frame, linked, { ...payment, methodName: ({ payment: { methods } }) => methods.cash }),
      dunningLetter(frame, [linked], 'final_notice', 'pause'),
      dunningLetter(frame, [linked, linked], 'friendly_reminder', 'none'),
    ];
    for (const { subject, text, html } of letters.map(renderLetter)) {
      expect(text).toContain('https://billing.example/i/1');
      expect(text).not.toMatch(/^Bcc/m);
      expect(html).toContain(`<html lang="${language}">`);
      expect(html).toContain('Contoso &lt;GmbH&gt;');
      expect(`${subject}${text}${html}`).not.toMatch(/undefined|\[object/);
    }
  });
});

it('asks to view an invoice, and not to pay it, if no card can pay the amount', () => {
  const small = { total: '0.30', lines: [] };
  const linked = (amount: object) => ({
    invoice: invoiceOf(sampleEvents.created(amount), sampleEvents.opened(amount)),
    url: 'https://b.example',
  });
  const payment = { amount: '1.00', toBalance: '0', paidAt: '2023-12-17T00:00:00.000Z' };
  const labelsOf = (amount: object, isSandbox = true) => {
    const one = linked(amount);
    const letters = [
      invoiceLetter({ ...frame, isSandbox }, one),
      receiptLetter({ ...frame, isSandbox }, one, { ...payment, methodName: () => 'Cash' }),
      dunningLetter({ ...frame, isSandbox }, [one], 'reminder', 'none'),
    ];
    return [...new Set(letters.map(({ link }) => link?.label))];
  };
  expect(labelsOf({})).toEqual(['View and pay the invoice']);
  expect(labelsOf(small)).toEqual(['View the invoice']);
  expect(labelsOf(small, false)).toEqual(['View and pay the invoice']);
});

it('says that a subscription is paused only if an invoice of the mail is for a subscription', () => {
  const url = 'https://b.example';
  const monthly = invoiceOf(sampleEvents.created(), sampleEvents.opened());
  const { parts: _, ...manual } = { ...monthly, subscriptionId: null };
  const paragraphsFor = (...invoices: (typeof monthly)[]) =>
    dunningLetter(
      frame,
      invoices.map((invoice) => ({ invoice, url })),
      'reminder',
      'pause',
    ).paragraphs;
  expect(paragraphsFor(manual)).toHaveLength(2);
  expect(paragraphsFor(manual, monthly)[2]).toMatch('Your subscription is paused');
});

it('makes the formatter of times once for a language and a time zone', () => {
  const invoice = invoiceOf(sampleEvents.created(), sampleEvents.opened());
  const method = { paymentMethodId: 'pm_1', label: 'Visa 4242' };
  const attempt = { code: 'card_declined', method } as unknown as PaymentAttempt;
  const letterAt = (nextAttemptAt: string) =>
    paymentFailedLetter(frame, { invoice, url: 'https://b.example' }, attempt, nextAttemptAt).paragraphs;
  expect(letterAt('2026-03-04T09:00:00.000Z').join(' ')).toContain('4 March 2026');
  // Jest loads the product with Node itself, so the `Intl` of this file is another one.
  const IntlOfProduct = (paymentFailedLetter.constructor as FunctionConstructor)(
    'return Intl',
  )() as typeof Intl;
  const made = jest.spyOn(IntlOfProduct, 'DateTimeFormat');
  letterAt('2026-03-05T09:00:00.000Z');
  expect(made).not.toHaveBeenCalled();
  made.mockRestore();
});

it('ends a sentence once after a name with a full stop', () => {
  const invoice = invoiceOf(sampleEvents.created(), sampleEvents.opened());
  const letter = invoiceLetter({ ...frame, sellerName: 'Acme Inc.' }, { invoice, url: 'https://b.example' });
  expect(letter.paragraphs[1]).toBe('Here is invoice INV-000042 from Acme Inc.');
});

it.each([
  ['ada@example.com', ['Ada@Example.com'], true],
  ['ada@example.com', ['@example.com'], true],
  ['ada@evil-example.com', ['@example.com'], false],
  ['ada@example.com', [], false],
])('a sandbox sends to %s with %j: %s', (address, sandboxEmailAllowlist, allowed) => {
  expect(isAddressAllowedInSandbox(address, { sandboxEmailAllowlist })).toBe(allowed);
});
