import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { addSeconds } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { newId, systemClock } from '#libs/kernel/system';
import { invoiceDecider } from '#libs/contexts/invoicing';
import {
  commandContextOf,
  createInvoice,
  customerWithCard,
  eventsOf,
  untilEvent,
} from '../../test/support/invoicing.js';
import { startSystem, type System, type TestWorkspace, createPool } from '../../test/support/index.js';
import { advanceClock } from '../../test/support/plans.js';
import { createSagaApp } from './create-app.js';

let system: System;
let workspace: TestWorkspace;
let pool: Pool;
let saga: INestApplicationContext | undefined;

beforeAll(async () => {
  system = await startSystem();
  // Each test starts the saga itself.
  await system.saga.close();
  pool = createPool(system.database);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
});
afterEach(async () => {
  await saga?.close();
  saga = undefined;
});

const inDays = (days: number) => addSeconds(systemClock.now(), days * 86_400);
const startSaga = async () => (saga = await createSagaApp(system.settings));
const events = (invoiceId: string) => eventsOf(system, workspace.workspaceId, invoiceId);
const until = (invoiceId: string, ...types: Parameters<typeof untilEvent>[3][]) =>
  untilEvent(system, workspace.workspaceId, invoiceId, ...types);

async function chargesOf(invoiceId: string): Promise<{ key: string; status: string }[]> {
  const { rows } = await pool.query<{ key: string; status: string }>(
    'SELECT key, status FROM payments.sandbox_charges WHERE invoice_id = $1',
    [invoiceId],
  );
  return rows;
}

describe('collection', () => {
  it('opens and charges an invoice by itself', async () => {
    await startSaga();
    const invoiceId = await createInvoice(system, workspace, await customerWithCard(workspace));
    await until(invoiceId, 'InvoicePaid');
    expect(await events(invoiceId)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentSucceeded',
      'InvoicePaid',
    ]);
  });

  it('leaves an invoice open without a card, and after a first charge that was declined', async () => {
    await startSaga();
    const bare = await createInvoice(system, workspace, await customerWithCard(workspace, null));
    const declining = await customerWithCard(workspace, 'pm_card_chargeDeclined');
    const declined = await createInvoice(system, workspace, declining);
    await until(declined, 'PaymentFailed');
    // The advance responds when all due tasks are done. The first retry is due after a day.
    await advanceClock(workspace, inDays(0.9));
    expect(await events(bare)).toEqual(['InvoiceCreated', 'InvoiceOpened']);
    expect(await events(declined)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentFailed',
    ]);
    const { body } = await workspace.http.get(`/v1/invoices/${declined}/payment-attempts`).expect(200);
    expect(body.data).toMatchObject([{ status: 'failed', failureCode: 'card_declined' }]);
  });

  it('leaves the invoices of a live workspace open: it has no gateway', async () => {
    await startSaga();
    const customerId = await customerWithCard(workspace);
    await pool.query(`UPDATE workspaces.clocks SET mode = 'live' WHERE workspace_id = $1`, [
      workspace.workspaceId,
    ]);
    // The running processes have already read the workspace's mode as a sandbox. They read it again each time.
    const invoiceId = await createInvoice(system, workspace, customerId);
    await until(invoiceId, 'InvoiceOpened');
    const { body } = await workspace.http.post(`/v1/invoices/${invoiceId}/pay`).expect(409);
    expect(body.code).toBe('no_payment_gateway');
    expect(await events(invoiceId)).toEqual(['InvoiceCreated', 'InvoiceOpened']);
  });
});

describe('a process that dies while it opens a draft', () => {
  it('leaves no gap in the numbers, if the draft was voided meanwhile', async () => {
    const invoiceId = await createInvoice(system, workspace, await customerWithCard(workspace));
    await workspace.http.post(`/v1/invoices/${invoiceId}/void`).expect(200);
    await startSaga();
    await advanceClock(workspace, inDays(1));
    // It took number 7, after the number of the void draft had been returned.
    await pool.query('INSERT INTO invoicing.numbers (workspace_id, number, invoice_id) VALUES ($1, 7, $2)', [
      workspace.workspaceId,
      invoiceId,
    ]);
    await pool.query(
      `UPDATE saga.tasks SET status = 'pending' WHERE name = 'open-invoice' AND workspace_id = $1`,
      [workspace.workspaceId],
    );
    await advanceClock(workspace, inDays(2));
    const { rows } = await pool.query('SELECT invoice_id FROM invoicing.numbers WHERE workspace_id = $1', [
      workspace.workspaceId,
    ]);
    expect(rows).toEqual([{ invoice_id: null }]);
    expect(await events(invoiceId)).toEqual(['InvoiceCreated', 'InvoiceVoided']);
  });
});

describe('a process that dies while it pays', () => {
  /** Creates an open invoice with a payment that was started by a process that no longer exists. */
  async function startedPayment(): Promise<{ invoiceId: string; attemptId: string }> {
    const customerId = await customerWithCard(workspace);
    const invoiceId = await createInvoice(system, workspace, customerId);
    const { body: methods } = await workspace.http
      .get(`/v1/customers/${customerId}/payment-methods`)
      .expect(200);
    const [{ id: paymentMethodId, test, label }] = methods.data as [
      { id: string; test: string; label: string },
    ];
    await workspace.http.post(`/v1/invoices/${invoiceId}/approve`).expect(200);
    const context = await commandContextOf(system, workspace.workspaceId);
    const attemptId = newId('pay');
    const id = aggregateId(workspace.workspaceId, invoiceId);
    await system.api.get(AggregateStore, { strict: false }).execute(invoiceDecider, id, context, {
      type: 'StartPayment',
      at: context.now,
      invoiceId,
      attemptId,
      method: { paymentMethodId, type: 'test', test, label },
      opening: null,
    });
    return { invoiceId, attemptId };
  }

  it('before the charge: the charge is made and recorded', async () => {
    const { invoiceId, attemptId } = await startedPayment();
    expect(await chargesOf(invoiceId)).toEqual([]);
    await startSaga();
    await until(invoiceId, 'InvoicePaid');
    expect(await chargesOf(invoiceId)).toEqual([{ key: attemptId, status: 'succeeded' }]);
  });

  it('between the charge and its record: the record is made and nothing is charged again', async () => {
    const { invoiceId, attemptId } = await startedPayment();
    await pool.query(
      `INSERT INTO payments.sandbox_charges (key, workspace_id, invoice_id, amount, currency, test, status)
       VALUES ($1, $2, $3, 20.00, 'USD', 'pm_card_visa', 'succeeded')`,
      [attemptId, workspace.workspaceId, invoiceId],
    );
    await startSaga();
    await until(invoiceId, 'InvoicePaid');
    expect(await chargesOf(invoiceId)).toEqual([{ key: attemptId, status: 'succeeded' }]);
    expect(await events(invoiceId)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentSucceeded',
      'InvoicePaid',
    ]);
  });
});
