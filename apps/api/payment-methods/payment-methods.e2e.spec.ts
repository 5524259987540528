import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createInvoice, customerWithCard, eventsOf, untilEvent } from '../../../test/support/invoicing.js';
import { startSystem, type Client, type System, type TestWorkspace } from '../../../test/support/index.js';
import { until } from '../../../test/support/until.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;
let methods: string;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
  methods = `/v1/customers/${await customerWithCard(workspace, null)}/payment-methods`;
});

const visa = { type: 'test', test: 'pm_card_visa' };

/** Waits until the saga has done this number of tasks of the name for the workspace, or more. */
async function untilDone(name: string, count: number): Promise<void> {
  const done = `SELECT FROM saga.tasks WHERE workspace_id = $1 AND name = $2 AND status = 'done'`;
  await until(
    () => system.api.get(Pool, { strict: false }).query(done, [workspace.workspaceId, name]),
    ({ rowCount }) => rowCount! >= count,
  );
}

describe('payment methods', () => {
  it('are put on file, the first one as the default', async () => {
    const { body: first } = await http.post(methods, visa).expect(201);
    expect(first).toEqual({
      id: expect.stringMatching(/^pm_/),
      type: 'test',
      test: 'pm_card_visa',
      label: 'Visa ending 4242',
      default: true,
    });
    const declining = { type: 'test', test: 'pm_card_declineThenSucceed', declines: 2 };
    const { body: second } = await http.post(methods, declining).expect(201);
    expect(second).toMatchObject({ ...declining, default: false });
    expect((await http.get(methods).expect(200)).body).toEqual({ data: [first, second], hasMore: false });
    expect((await http.get(`${methods}?limit=1&offset=1`)).body).toEqual({ data: [second], hasMore: false });
  });

  it('take turns as the default', async () => {
    const { body: first } = await http.post(methods, visa).expect(201);
    const { body: second } = await http.post(methods, visa).expect(201);
    const { body } = await http.post(`${methods}/${second.id}/default`).expect(200);
    expect(body).toEqual({ ...second, default: true });
    await http.delete(`${methods}/${second.id}`).expect(204);
    expect((await http.get(methods)).body).toEqual({ data: [first], hasMore: false });
  });

  it('pay what is open if the customer agrees, added by the API or in the portal', async () => {
    for (const inPortal of [false, true]) {
      const customerId = await customerWithCard(workspace, null);
      const ids = [
        await createInvoice(system, workspace, customerId),
        await createInvoice(system, workspace, customerId),
      ];
      for (const id of ids) await untilEvent(system, workspace.workspaceId, id, 'InvoiceOpened');
      // The first charge of an opened invoice finds no card.
      await untilDone('collect-invoice', inPortal ? 4 : 2);
      const client = inPortal ? await workspace.portalOf(customerId) : http;
      const path = inPortal ? '/v1/portal/payment-methods' : `/v1/customers/${customerId}/payment-methods`;
      await client.post(path, visa).expect(201);
      const agreed = { type: 'test', test: 'pm_card_mastercard', payOpenInvoices: true };
      const { body: added } = await client.post(path, agreed).expect(201);
      expect(added).not.toHaveProperty('payOpenInvoices');
      for (const id of ids) {
        await untilEvent(system, workspace.workspaceId, id, 'InvoicePaid');
        // The list of attempts can be behind the events.
        let attempts: object[] = [];
        while (!attempts.some((one) => 'status' in one && one.status === 'succeeded'))
          attempts = (await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200)).body
            .data as object[];
        // The first card was added without that agreement.
        expect(attempts).toMatchObject([{ paymentMethod: 'Mastercard ending 4444' }]);
      }
    }
  });

  it('leave the default uncharged if the one that was added to pay must be confirmed', async () => {
    const customerId = await customerWithCard(workspace, null);
    const id = await createInvoice(system, workspace, customerId);
    await untilEvent(system, workspace.workspaceId, id, 'InvoiceOpened');
    await untilDone('collect-invoice', 1);
    const path = `/v1/customers/${customerId}/payment-methods`;
    await http.post(path, visa).expect(201);
    const agreed = { type: 'test', test: 'pm_card_authenticationRequired', payOpenInvoices: true };
    await http.post(path, agreed).expect(201);
    await untilEvent(system, workspace.workspaceId, id, 'PaymentActionRequired');
    await untilDone('charge-replaced-method', 1);
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentActionRequired',
    ]);
  });

  it('are refused with the field that is wrong', async () => {
    const wrong: [object, string][] = [
      [{ test: 'pm_card_visa' }, 'type'],
      [{ type: 'bank', test: 'pm_card_visa' }, 'type'],
      [{ type: 'card', test: 'pm_card_visa' }, 'test'],
      [{ type: 'test' }, 'test'],
      [{ type: 'test', test: 'constructor' }, 'test'],
      [{ type: 'test', test: 'pm_card_declineThenSucceed' }, 'declines'],
      [{ type: 'test', test: 'pm_card_declineThenSucceed', declines: 0 }, 'declines'],
      [{ ...visa, declines: 1 }, 'declines'],
      [{ ...visa, payOpenInvoices: 'yes' }, 'payOpenInvoices'],
      [{ ...visa, label: 'Mine' }, 'label'],
    ];
    for (const [body, field] of wrong) {
      const { body: answer } = await http.post(methods, body).expect(400);
      expect(answer).toMatchObject({ code: 'validation_failed', details: [{ field }] });
    }
    expect((await http.get(methods)).body.data).toEqual([]);
  });

  it('belong to a customer of the workspace', async () => {
    const { body: method } = await http.post(methods, visa).expect(201);
    const { http: other } = await system.workspace();
    await other.get(methods).expect(404);
    await other.post(methods, visa).expect(404);
    await other.post(`${methods}/${method.id}/default`).expect(404);
    await other.delete(`${methods}/${method.id}`).expect(404);
    expect((await http.post(`${methods}/pm_none/default`).expect(404)).body.code).toBe(
      'payment_method_not_found',
    );
    await http.delete(`${methods}/pm_none`).expect(404);
  });

  it('of test kind are for sandboxes alone', async () => {
    const live = await system.workspace();
    const customerId = await customerWithCard(live, null);
    await makeLive(live.workspaceId);
    const { body } = await live.http.post(`/v1/customers/${customerId}/payment-methods`, visa).expect(409);
    expect(body.code).toBe('sandbox_only');
  });
});

/** There is no way to get a live workspace over HTTP yet. */
async function makeLive(workspaceId: string): Promise<void> {
  await system.api
    .get(Pool, { strict: false })
    .query(`UPDATE workspaces.clocks SET mode = 'live' WHERE workspace_id = $1`, [workspaceId]);
}
