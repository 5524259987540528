import { describe, expect, it } from '@jest/globals';
import { upcast } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import { approvalRequestDecider, type ApprovalRequestCommand } from './approval-request.js';
import {
  approvalRequestEvents,
  type ApprovalRequestEvent,
  type ResponsibleActor,
  type ProposedAction,
} from './events.js';

const { given } = decide(approvalRequestDecider);
const [jan1, jan2, jan8] = ['2026-01-01', '2026-01-02', '2026-01-08'].map(
  (day) => `${day}T00:00:00.000Z`,
) as [string, string, string];
const about = { requestId: 'apr_1', customerId: 'cust_1', action: 'invoice.void' } as const;
const user = (userId: string): ResponsibleActor => ({ type: 'user', id: userId, userId });
const key = (id: string, userId: string | null): ResponsibleActor => ({ type: 'api_key', id, userId });
const proposed: ProposedAction = {
  customerId: 'cust_1',
  resource: { type: 'invoice', id: 'inv_1' },
  amount: '100',
  currency: 'USD',
  reason: null,
  lines: [],
  effectiveAt: null,
  terms: [],
  changes: [],
  command: { kind: 'void-invoice', data: {} },
};
const ask = (requestedBy: ResponsibleActor): ApprovalRequestCommand => ({
  type: 'RequestApproval',
  requestId: 'apr_1',
  action: 'invoice.void',
  at: jan1,
  proposed,
  requestedBy,
  expiresInDays: 7,
});
const asked = (requestedBy: ResponsibleActor): ApprovalRequestEvent => ({
  type: 'ApprovalRequested',
  data: { ...about, ...proposed, at: jan1, requestedBy, expiresAt: jan8 },
});
const approve = (by: ResponsibleActor, at = jan2, mayApprove = true): ApprovalRequestCommand => ({
  type: 'ApproveRequest',
  requestId: 'apr_1',
  at,
  by,
  note: 'Yes',
  mayApprove,
});
const reject = (by: ResponsibleActor, at = jan2): ApprovalRequestCommand => ({
  type: 'RejectRequest',
  requestId: 'apr_1',
  at,
  by,
  note: null,
});
const granted = (by = user('bob')): ApprovalRequestEvent => ({
  type: 'ApprovalGranted',
  data: { ...about, at: jan2, by, note: 'Yes' },
});
const rejected = (by = user('bob')): ApprovalRequestEvent => ({
  type: 'ApprovalRejected',
  data: { ...about, at: jan2, by, note: null },
});
const started: ApprovalRequestEvent = { type: 'ApprovedActionStarted', data: { ...about, at: jan2 } };
const result = { type: 'invoice', id: 'inv_1' };
const executed: ApprovalRequestEvent = {
  type: 'ApprovedActionExecuted',
  data: { ...about, at: jan2, result },
};
const failure = { code: 'invoice_already_paid', message: 'The invoice is paid' };
const failed: ApprovalRequestEvent = {
  type: 'ApprovedActionFailed',
  data: { ...about, at: jan2, ...failure },
};
const expired: ApprovalRequestEvent = { type: 'ApprovalExpired', data: { ...about, at: jan8 } };
const expire: ApprovalRequestCommand = { type: 'ExpireRequest', requestId: 'apr_1', at: jan8 };
const start: ApprovalRequestCommand = { type: 'StartApprovedAction', requestId: 'apr_1', at: jan2 };
const complete: ApprovalRequestCommand = {
  type: 'CompleteApprovedAction',
  requestId: 'apr_1',
  at: jan2,
  result,
};
const fail: ApprovalRequestCommand = { type: 'FailApprovedAction', requestId: 'apr_1', at: jan2, ...failure };
const byAda = asked(user('ada'));

describe('an approval request', () => {
  it('is made once', () => {
    given()
      .when(ask(user('ada')))
      .then(byAda);
    given(byAda)
      .when(ask(user('ada')))
      .then();
  });

  it('is approved or rejected by another person', () => {
    given(byAda)
      .when(approve(user('bob')))
      .then(granted());
    given(byAda)
      .when(reject(user('bob')))
      .then(rejected());
    given(byAda)
      .when(approve(key('key_1', 'bob')))
      .then(granted(key('key_1', 'bob')));
    given()
      .when(approve(user('bob')))
      .refused('approval_request_not_found');
  });

  it('is never approved by who asked, or by a key of theirs, and may be withdrawn', () => {
    given(byAda)
      .when(approve(user('ada')))
      .refused('own_request');
    given(byAda)
      .when(approve(key('key_1', 'ada')))
      .refused('own_request');
    given(asked(key('key_1', 'ada')))
      .when(approve(user('ada')))
      .refused('own_request');
    given(asked(key('key_1', null)))
      .when(approve(key('key_1', null)))
      .refused('approver_unknown');
    // The unknown user behind the key could be Bob.
    given(asked(key('key_1', null)))
      .when(approve(user('bob')))
      .refused('requester_unknown');
    given(byAda)
      .when(reject(user('ada')))
      .then(rejected(user('ada')));
  });

  it('is not approved by a key of somebody who may not approve any more', () => {
    given(byAda)
      .when(approve(key('key_1', 'bob'), jan2, false))
      .refused('approver_not_allowed');
    given(byAda)
      .when(reject(key('key_1', 'bob')))
      .then(rejected(key('key_1', 'bob')));
  });

  it('is decided once', () => {
    for (const decided of [granted(), rejected(), expired])
      for (const again of [approve(user('eve')), reject(user('eve'))])
        given(byAda, decided).when(again).refused('approval_decided');
  });

  it('expires if nobody decides, and cannot be decided from that instant on', () => {
    given(byAda).when(expire).then(expired);
    given(byAda, granted()).when(expire).then();
    given(byAda)
      .when(approve(user('bob'), jan8))
      .refused('approval_expired');
    given(byAda)
      .when(reject(user('bob'), jan8))
      .refused('approval_expired');
  });

  it('is executed only if it was approved', () => {
    given(byAda, granted()).when(start).then(started);
    for (const decided of [[], [rejected()], [expired]])
      given(byAda, ...decided)
        .when(start)
        .then();
    given(byAda, granted()).when(complete).then();
    given(byAda, granted()).when(fail).then();
  });

  it('is executed or has failed, and a repetition changes nothing', () => {
    const running = [byAda, granted(), started];
    given(...running)
      .when(start)
      .then();
    given(...running)
      .when(complete)
      .then(executed);
    given(...running)
      .when(fail)
      .then(failed);
    for (const end of [executed, failed])
      for (const again of [start, complete, fail])
        given(...running, end)
          .when(again)
          .then();
    expect(given(...running, executed).state()).toMatchObject({ status: 'executed', result, failure: null });
    expect(given(...running, failed).state()).toMatchObject({ status: 'failed', result: null, failure });
  });
});

describe('a request of an earlier version', () => {
  const stored = (changes: object[]) => ({
    ...asked(user('ada')).data,
    effectiveAt: undefined,
    terms: undefined,
    changes,
  });
  const read = (changes: object[]) =>
    upcast('ApprovalRequested', approvalRequestEvents.ApprovalRequested, stored(changes), 1);
  const cancelAt = { field: 'cancelAt', before: null, after: jan8 };

  it('takes effect when its cancellation was to come, or at once', () => {
    const status = (after: string) => ({ field: 'status', before: 'active', after });
    expect(read([status('active'), cancelAt])).toMatchObject({ effectiveAt: jan8, terms: [] });
    expect(read([status('canceled'), cancelAt])).toMatchObject({ effectiveAt: null, terms: [] });
    expect(read([status('void')])).toMatchObject({ effectiveAt: null, terms: [] });
  });
});
