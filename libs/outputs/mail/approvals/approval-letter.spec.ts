import { describe, expect, it } from '@jest/globals';
import type { ApprovalMail } from '#libs/contexts/approvals';
import { renderLetter } from '../templates/letter.js';
import { approvalRequestLetter } from './approval-letter.js';

const mail: ApprovalMail = {
  mailId: 'mail_1',
  workspaceId: 'acc_1',
  workspaceName: 'Engines <b>Ltd</b>',
  requesterName: 'Ada',
  to: { name: 'Grace', address: 'grace@example.com' },
  request: {
    requestId: 'apr_1',
    action: 'invoice.credit_note',
    customerId: 'cust_1',
    resource: { type: 'invoice', id: 'inv_1' },
    amount: '60.5',
    currency: 'USD',
    expiresAt: '2026-01-08T00:00:00.000Z',
  },
  url: 'https://billing.example/v1/approvals/apr_1',
  usefulUntil: '2026-01-08T00:00:00.000Z',
};

describe('a mail about an approval request', () => {
  it('says who asks for what, until when, and how to decide, in both forms', () => {
    const { subject, text, html } = renderLetter(approvalRequestLetter(mail));
    expect(subject).toBe('Approval needed in Engines <b>Ltd</b>: Issue a credit note, 60.5 USD');
    for (const form of [text, html])
      for (const part of [
        'Ada asks for an approval in Engines',
        'The request apr_1 concerns the invoice inv_1 of the customer cust_1. Its amount is 60.5 USD.',
        'To approve, send POST https://billing.example/v1/approvals/apr_1/approve',
        'To reject, send POST https://billing.example/v1/approvals/apr_1/reject',
        'send GET https://billing.example/v1/approvals/apr_1',
        'expires on 2026-01-08 00:00 UTC',
      ])
        expect(form).toContain(part);
    expect(html).toContain('Engines &lt;b&gt;Ltd&lt;/b&gt;');
    for (const form of [text, html]) expect(form).not.toMatch(/(approve|reject|apr_1)\.(\s|<)/);
  });

  it('names no amount, workspace or person that nobody knows', () => {
    const unknown = { ...mail, requesterName: null, workspaceName: null };
    const request = { ...mail.request, amount: null, currency: null };
    const { subject, text } = renderLetter(approvalRequestLetter({ ...unknown, request }));
    expect(subject).toBe('Approval needed in a workspace: Issue a credit note');
    expect(text).toContain('Somebody asks for an approval in a workspace');
    expect(text).toContain('It has no amount.');
  });
});
