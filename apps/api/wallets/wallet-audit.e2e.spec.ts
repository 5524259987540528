import { describe, expect, it } from '@jest/globals';
import { advanceClock, chargedMetric, settle, workspacePerTest } from '../../../test/support/index.js';

const { workspace, get, post, put, remove, create } = workspacePerTest();

interface Entry {
  action: string;
  resourceType: string;
  resourceId: string;
  actor: { type: string; id: string };
  data: Record<string, unknown>;
}

/** The entries of the trail about wallets, the oldest first. */
async function walletEntries(): Promise<Entry[]> {
  const { body } = await workspace.session.get('/v1/audit?resourceType=wallet&limit=100').expect(200);
  return (body as { data: Entry[] }).data.toReversed();
}

describe('the audit trail of a wallet', () => {
  it('has each action of a user, with what matters of it, and no text that a user wrote', async () => {
    const { path, customerId } = await chargedMetric(post)();
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    const granted = await create(`${path}/grants`, { amount: 100, costBasis: 2, description: 'For Ada' });
    const bought = await create(`${path}/purchases`, { credits: 50, unitPrice: 0.1, description: 'Of Ada' });
    await post(`${path}/void`, { amount: 30, reason: 'Ada asked' });
    await post(`${path}/blocks/${bought.id}/void`, { creditNote: true, reason: 'Ada asked again' });
    await put(`${path}/auto-top-up`, { threshold: 5, credits: 20, unitPrice: 0.2 });
    await remove(`${path}/auto-top-up`);
    const open = await create(`${path}/purchases`, { credits: 5, collection: 'send_invoice' });
    await post(`${path}/blocks/${open.id}/void`, {});
    await settle(workspace);
    const entries = await walletEntries();
    expect(entries.map(({ action, data }) => [action, data])).toMatchObject([
      [
        'wallet.credits_granted',
        {
          blockId: granted.id,
          amount: 100,
          balance: 100,
          source: 'grant',
          costBasis: 2,
          currency: 'USD',
        },
      ],
      ['wallet.purchase_created', { blockId: bought.id, amount: 50, unitPrice: 0.1, collection: 'charge' }],
      ['wallet.purchase_activated', { blockId: bought.id, invoiceId: bought.invoice.id, balance: 150 }],
      ['wallet.credits_voided', { amount: 30, balance: 120, draws: [{ blockId: granted.id, amount: 30 }] }],
      [
        'wallet.credits_voided',
        {
          amount: 50,
          balance: 70,
          draws: [{ blockId: bought.id, amount: 50 }],
          creditNote: { invoiceId: bought.invoice.id },
        },
      ],
      ['wallet.auto_top_up_set', { threshold: 5, credits: 20, unitPrice: 0.2, enabled: true }],
      ['wallet.auto_top_up_removed', { creditType: 'ai-credits' }],
      ['wallet.purchase_created', { blockId: open.id, unitPrice: 0.01, collection: 'send_invoice' }],
      ['wallet.purchase_voided', { blockId: open.id, amount: 5 }],
    ]);
    expect(new Set(entries.map(({ resourceId }) => resourceId))).toEqual(new Set([customerId]));
    // An invoice that is paid or voided completes a purchase. The request or the system does so, whichever comes first.
    const byUser = entries.filter(({ action }) => !/purchase_(activated|voided)$/.test(action));
    expect(byUser.map(({ actor }) => actor.type)).toEqual(byUser.map(() => 'api_key'));
    expect(byUser).toHaveLength(7);
    expect(JSON.stringify(entries)).not.toContain('Ada');
  });

  it('has what the system does: expiries, automatic purchases and their activation', async () => {
    const { path, customerId, use } = await chargedMetric(post)();
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    const granted = await create(`${path}/grants`, { amount: 10, expiresAt: '2026-01-10T00:00:00Z' });
    await put(`${path}/auto-top-up`, { threshold: 4, credits: 20, unitPrice: 0.1 });
    await use(12);
    await settle(workspace);
    await advanceClock(workspace, '2026-01-11T00:00:00Z');
    const system = (await walletEntries()).filter(({ actor }) => actor.type === 'system');
    expect(system.map(({ action, data }) => [action, data])).toMatchObject([
      ['wallet.purchase_created', { amount: 20, topUp: true }],
      ['wallet.purchase_activated', { amount: 20, balance: 24 }],
      ['wallet.credits_expired', { blockId: granted.id, amount: 4, balance: 20 }],
    ]);
    // What usage took is in the ledger of the wallet.
    const { data } = await get(`${path}/ledger?type=drawn_down`);
    expect(data).toMatchObject([{ amount: -6 }]);
  });
});
