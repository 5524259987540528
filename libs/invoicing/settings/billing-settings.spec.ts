import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/event-store';
import { decide } from '#libs/testing';
import { BILLING_DEFAULTS, billingSettingsDecider, type BillingSettingsEvent } from './billing-settings.js';

const accountId = 'acc_1';
const change = (changes: object) => ({ type: 'ChangeBillingSettings', accountId, changes }) as const;
const changed = (changes: Partial<typeof BILLING_DEFAULTS>): BillingSettingsEvent => ({
  type: 'BillingSettingsChanged',
  data: { accountId, ...changes },
});
const { given } = decide(billingSettingsDecider);

describe('billing settings', () => {
  it('record what is changed alone', () => {
    given()
      .when(change({ netDays: 14, autoApprove: true, invoiceFooter: undefined }))
      .then(changed({ netDays: 14 }));
    given(changed({ netDays: 14 }))
      .when(change({ netDays: 14, invoiceFooter: 'Thank you' }))
      .then(changed({ invoiceFooter: 'Thank you' }));
    given(changed({ netDays: 14 }))
      .when(change({ netDays: 14 }))
      .then();
  });

  it('keep the numbers of invoices and credit notes apart', () => {
    given()
      .when(change({ creditNoteNumberPrefix: 'INV' }))
      .refused('validation_failed');
    given()
      .when(change({ creditNoteNumberPrefix: 'INV', invoiceNumberPrefix: 'CN' }))
      .then(changed({ creditNoteNumberPrefix: 'INV', invoiceNumberPrefix: 'CN' }));
  });

  it('are the defaults where nothing was chosen', () => {
    expect(
      fold(billingSettingsDecider, [changed({ netDays: 14 }), changed({ invoiceNumberPrefix: 'A' })]),
    ).toEqual({
      ...BILLING_DEFAULTS,
      netDays: 14,
      invoiceNumberPrefix: 'A',
    });
  });
});
