import { CARDS, type CardBehaviour, type CardName } from './cards.ts';
import {
  checkParameters,
  integerOf,
  machineSeconds,
  missing,
  StripeError,
  textOf,
  type Parameters,
} from './parameters.ts';

export type Metadata = Record<string, string>;

export interface Customer {
  id: string;
  object: 'customer';
  metadata: Metadata;
}

interface PaymentMethod {
  id: string;
  object: 'payment_method';
  type: 'card';
  customer: string | null;
  card: { brand: string; last4: string; exp_month: number; exp_year: number };
}

export interface Intent {
  id: string;
  object: 'payment_intent';
  amount: number;
  currency: string;
  customer: string;
  payment_method: string | null;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
  last_payment_error: Record<string, unknown> | null;
  next_action: { type: 'redirect_to_url'; redirect_to_url: { url: string; return_url: string } } | null;
  metadata: Metadata;
  created: number;
}

export interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  currency: string;
  payment_intent: string;
  status: 'succeeded' | 'failed' | 'canceled';
  /** Absent unless the refund failed. */
  failure_reason?: string;
  metadata: Metadata;
}

export interface Session {
  id: string;
  object: 'checkout.session';
  mode: string;
  status: 'open' | 'complete' | 'expired';
  customer: string;
  setup_intent: string | null;
  url: string;
  success_url: string;
  metadata: Metadata;
}

export interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  currency: string;
  payment_intent: string;
  reason: string;
  status: string;
}

/** What happened, in the order in which Stripe would make events of it. */
export interface Happening {
  readonly type: string;
  readonly object: object;
}

/** The state of the account: what was made, what was charged, and what happened. */
export class StripeLedger {
  readonly customers = new Map<string, Customer>();
  readonly intents = new Map<string, Intent>();
  readonly refunds = new Map<string, Refund>();
  readonly sessions = new Map<string, Session>();
  readonly disputes = new Map<string, Dispute>();
  readonly happenings: Happening[] = [];

  private readonly methods = new Map<string, PaymentMethod & { behaves: CardBehaviour }>();
  private readonly setups = new Map<string, { id: string; payment_method: string; customer: string }>();
  private count = 0;

  constructor(private readonly url: () => string) {}

  /** Runs an operation. `path` is without `/v1`. */
  run(method: string, path: string, given: Parameters): object {
    const [resource = '', id, action] = path.split('/').slice(1);
    switch (
      `${method} ${resource}${id === undefined ? '' : '/:id'}${action === undefined ? '' : `/${action}`}`
    ) {
      case 'GET account':
        return { id: 'acct_loopback', object: 'account' };
      case 'POST customers':
        checkParameters(given, ['name', 'email', 'description', 'address', 'phone', 'payment_method']);
        return this.add(this.customers, 'cus', { object: 'customer', metadata: metadataOf(given) });
      case 'DELETE customers/:id': {
        if (!this.customers.delete(id!)) throw missing('customer', id!);
        for (const method of this.methods.values()) if (method.customer === id) method.customer = null;
        return { id: id!, object: 'customer', deleted: true };
      }
      case 'POST payment_methods/:id/detach':
        checkParameters(given, []);
        return this.detach(id!);
      case 'POST payment_intents':
        return this.charge(given);
      case 'GET payment_intents':
        checkParameters(given, ['customer', 'created', 'limit', 'starting_after', 'ending_before']);
        if (given['customer'] !== undefined && !this.customers.has(textOf(given['customer'])!))
          throw missing('customer', textOf(given['customer'])!);
        return this.list(given, [...this.intents.values()].filter((one) => isListed(one, given)).reverse());
      case 'GET payment_intents/:id':
        return this.intent(id!);
      case 'POST payment_intents/:id/confirm':
        return this.confirm(this.intent(id!), given);
      case 'POST payment_intents/:id/cancel':
        return this.cancel(this.intent(id!), given);
      case 'POST refunds':
        return this.refund(given);
      case 'GET refunds':
        checkParameters(given, [
          'payment_intent',
          'charge',
          'created',
          'limit',
          'starting_after',
          'ending_before',
        ]);
        return this.list(
          given,
          [...this.refunds.values()]
            .filter((one) => one.payment_intent === given['payment_intent'])
            .reverse(),
        );
      case 'GET refunds/:id': {
        const refund = this.refunds.get(id!);
        if (!refund) throw missing('refund', id!);
        return refund;
      }
      case 'GET disputes/:id': {
        const dispute = this.disputes.get(id!);
        if (!dispute) throw missing('dispute', id!);
        return dispute;
      }
      case 'POST checkout/:id':
        if (id === 'sessions') return this.openSession(given);
        break;
      case 'GET checkout/:id':
        checkParameters(given, [
          'customer',
          'payment_intent',
          'limit',
          'starting_after',
          'ending_before',
          'status',
        ]);
        return this.list(
          given,
          [...this.sessions.values()].filter(({ customer }) => customer === given['customer']),
        );
      default:
    }
    const session = /^\/checkout\/sessions\/(?<id>[^/]+)$/.exec(path)?.groups?.['id'];
    if (method === 'GET' && session !== undefined) return this.shownSession(session);
    throw new StripeError(404, {
      type: 'invalid_request_error',
      message: `Unrecognized request URL (${method}: /v1${path})`,
    });
  }

  /** The customer enters a card on the page of a session, and completes it. */
  completeSession(sessionId: string, card: CardName): void {
    const session = this.sessions.get(sessionId);
    if (session?.status !== 'open') throw new Error(`The session ${sessionId} is not open`);
    const behaves: CardBehaviour = CARDS[card];
    const method = this.add(this.methods, 'pm', {
      object: 'payment_method' as const,
      type: 'card' as const,
      customer: session.customer,
      behaves,
      card: { brand: behaves.brand, last4: behaves.last4, exp_month: 12, exp_year: 2034 },
    });
    const setup = this.add(this.setups, 'seti', { payment_method: method.id, customer: session.customer });
    session.setup_intent = setup.id;
    session.status = 'complete';
    this.happens('setup_intent.succeeded', { ...setup, object: 'setup_intent' });
    this.happens('checkout.session.completed', session);
  }

  /** The customer confirms a charge on the page of the bank, or does not. */
  answerBank(intentId: string, confirmed: boolean): void {
    const intent = this.intent(intentId);
    if (intent.status !== 'requires_action') throw new Error(`${intentId} waits for nobody`);
    intent.next_action = null;
    if (confirmed) return this.succeed(intent);
    this.fail(intent, {
      type: 'invalid_request_error',
      code: 'payment_intent_authentication_failure',
      message: 'The provided PaymentMethod has failed authentication.',
    });
  }

  /** The bank of the customer disputes a charge. */
  openDispute(intentId: string, reason = 'fraudulent'): Dispute {
    const { amount, currency } = this.intent(intentId);
    const dispute = this.add(this.disputes, 'du', {
      object: 'dispute' as const,
      amount,
      currency,
      payment_intent: intentId,
      reason,
      status: 'needs_response',
    });
    this.happens('charge.dispute.created', { ...dispute });
    return dispute;
  }

  closeDispute(disputeId: string, status: 'won' | 'lost'): void {
    const dispute = this.disputes.get(disputeId)!;
    dispute.status = status;
    this.happens('charge.dispute.closed', { ...dispute });
  }

  /** Somebody refunds a charge in the dashboard. */
  refundInDashboard(intentId: string, amount: number): void {
    this.refund({ payment_intent: intentId, amount: String(amount) });
  }

  /**
   * A refund fails after it was accepted. The money is in the account again, and the charge can be refunded again
   * (docs.stripe.com/refunds, "Handle failed refunds").
   */
  failRefund(refundId: string, reason = 'expired_or_canceled_card'): void {
    const refund = this.refunds.get(refundId)!;
    Object.assign(refund, { status: 'failed', failure_reason: reason });
    for (const type of ['refund.updated', 'refund.failed']) this.happens(type, refund);
  }

  /** The refunds of an intent, oldest first. */
  refundsOf(intentId: string): Refund[] {
    return [...this.refunds.values()].filter(({ payment_intent: of }) => of === intentId);
  }

  /** The account does not know a card any more. */
  forgetCard(id: string): void {
    this.methods.delete(id);
  }

  /** The cards that are attached to a customer. */
  cardsOf(customerId: string): string[] {
    return [...this.methods.values()].filter((one) => one.customer === customerId).map(({ id }) => id);
  }

  /** The intents with this status, oldest first. */
  intentsWith(status: Intent['status']): Intent[] {
    return [...this.intents.values()].filter((one) => one.status === status);
  }

  private charge(given: Parameters): Intent {
    checkParameters(given, [
      'amount!',
      'currency!',
      'customer',
      'payment_method',
      'allowed_payment_method_types',
      'off_session',
      'confirm',
      'description',
      'return_url',
      'statement_descriptor',
      'receipt_email',
      'capture_method',
      'setup_future_usage',
    ]);
    const customer = textOf(given['customer']) ?? '';
    if (!this.customers.has(customer)) throw missing('customer', customer);
    const method = textOf(given['payment_method']) ?? '';
    if (this.usableMethod(method).customer !== customer) throw missing('PaymentMethod', method);
    if (given['off_session'] === 'true' && given['confirm'] !== 'true')
      throw new StripeError(400, {
        type: 'invalid_request_error',
        code: 'parameter_missing',
        param: 'confirm',
        message: 'off_session can only be used with confirm=true',
      });
    const intent = this.add(this.intents, 'pi', {
      object: 'payment_intent' as const,
      amount: integerOf(given['amount'], 'amount'),
      currency: textOf(given['currency'])!,
      customer,
      payment_method: method,
      status: 'requires_payment_method' as const,
      last_payment_error: null,
      next_action: null,
      metadata: metadataOf(given),
      created: machineSeconds(),
    });
    return this.attempt(intent, { offSession: given['off_session'] === 'true', returnUrl: undefined });
  }

  private confirm(intent: Intent, given: Parameters): Intent {
    checkParameters(given, ['payment_method', 'off_session', 'return_url', 'allowed_payment_method_types']);
    if (intent.status !== 'requires_payment_method') throw unexpectedState(intent, 'confirm');
    const method = textOf(given['payment_method']) ?? intent.payment_method ?? '';
    this.usableMethod(method);
    intent.payment_method = method;
    return this.attempt(intent, {
      offSession: given['off_session'] === 'true',
      returnUrl: textOf(given['return_url']),
    });
  }

  private attempt(
    intent: Intent,
    { offSession, returnUrl }: { offSession: boolean; returnUrl: string | undefined },
  ): Intent {
    const { behaves } = this.methods.get(intent.payment_method!)!;
    if (behaves.decline !== undefined)
      throw this.fail(intent, {
        type: 'card_error',
        code: 'card_declined',
        decline_code: behaves.decline,
        message: 'Your card was declined.',
      });
    if (behaves.authenticates && offSession)
      throw this.fail(intent, {
        type: 'card_error',
        code: 'authentication_required',
        decline_code: 'authentication_required',
        message: 'Your card was declined. This transaction requires authentication.',
      });
    if (behaves.authenticates) {
      const url = `${this.url()}/bank/${intent.id}`;
      intent.status = 'requires_action';
      intent.next_action = { type: 'redirect_to_url', redirect_to_url: { url, return_url: returnUrl ?? '' } };
      this.happens('payment_intent.requires_action', intent);
      return intent;
    }
    this.succeed(intent);
    return intent;
  }

  private succeed(intent: Intent): void {
    intent.status = 'succeeded';
    intent.last_payment_error = null;
    this.happens('payment_intent.succeeded', intent);
  }

  private fail(
    intent: Intent,
    error: { type: string; message: string } & Record<string, unknown>,
  ): StripeError {
    // The payment method is detached from an intent that failed.
    Object.assign(intent, {
      status: 'requires_payment_method',
      last_payment_error: error,
      payment_method: null,
    });
    this.happens('payment_intent.payment_failed', intent);
    return new StripeError(402, { ...error, payment_intent: { ...intent } });
  }

  private cancel(intent: Intent, given: Parameters): Intent {
    checkParameters(given, ['cancellation_reason']);
    if (intent.status === 'succeeded' || intent.status === 'canceled')
      throw unexpectedState(intent, 'cancel');
    intent.status = 'canceled';
    intent.next_action = null;
    this.happens('payment_intent.canceled', intent);
    return intent;
  }

  private detach(id: string): object {
    const method = this.methods.get(id);
    if (!method) throw missing('PaymentMethod', id);
    if (method.customer === null)
      throw new StripeError(400, {
        type: 'invalid_request_error',
        message: 'The payment method you provided is not attached to a customer so detachment is impossible.',
      });
    method.customer = null;
    const { behaves: _, ...shown } = method;
    this.happens('payment_method.detached', shown);
    return shown;
  }

  /** Returns a payment method. Refuses one that was detached, since Stripe never charges it again. */
  private usableMethod(id: string): PaymentMethod {
    const method = this.methods.get(id);
    if (!method) throw missing('PaymentMethod', id);
    if (method.customer === null)
      throw new StripeError(400, {
        type: 'invalid_request_error',
        message:
          'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected ' +
          'account without Customer attachment, or was detached from a Customer. It may not be used again.',
      });
    return method;
  }

  private refund(given: Parameters): Refund {
    checkParameters(given, ['payment_intent', 'charge', 'amount', 'reason']);
    const intent = this.intent(textOf(given['payment_intent']) ?? '');
    const disputes = [...this.disputes.values()].filter(({ payment_intent: of }) => of === intent.id);
    if (disputes.some(({ status }) => status !== 'won'))
      throw new StripeError(400, {
        type: 'invalid_request_error',
        code: 'charge_disputed',
        message: `Charge ch_${intent.id} has been charged back; cannot issue a refund.`,
      });
    const refunded = this.refundsOf(intent.id)
      .filter(({ status }) => status === 'succeeded')
      .reduce((sum, { amount }) => sum + amount, 0);
    const left = intent.status === 'succeeded' ? intent.amount - refunded : 0;
    const amount = given['amount'] === undefined ? left : integerOf(given['amount'], 'amount');
    if (left === 0)
      throw new StripeError(400, {
        type: 'invalid_request_error',
        code: 'charge_already_refunded',
        message: `Charge ${intent.id} has already been refunded.`,
      });
    if (amount > left)
      throw new StripeError(400, {
        type: 'invalid_request_error',
        message: `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
      });
    const refund = this.add(this.refunds, 're', {
      object: 'refund' as const,
      amount,
      currency: intent.currency,
      payment_intent: intent.id,
      status: 'succeeded' as const,
      metadata: metadataOf(given),
    });
    this.happens('charge.refunded', { id: `ch_${intent.id}`, object: 'charge', payment_intent: intent.id });
    return refund;
  }

  private openSession(given: Parameters): Session {
    checkParameters(given, [
      'mode!',
      'customer',
      'success_url!',
      'cancel_url',
      'allowed_payment_method_types',
      'currency',
      'locale',
      'setup_intent_data',
      'client_reference_id',
      'expires_at',
    ]);
    const customer = textOf(given['customer']) ?? '';
    if (!this.customers.has(customer)) throw missing('customer', customer);
    const session = this.add(this.sessions, 'cs', {
      object: 'checkout.session' as const,
      mode: textOf(given['mode'])!,
      status: 'open' as const,
      customer,
      setup_intent: null,
      url: '',
      success_url: textOf(given['success_url'])!,
      metadata: metadataOf(given),
    });
    session.url = `${this.url()}/checkout/${session.id}`;
    return session;
  }

  private shownSession(id: string): object {
    const session = this.sessions.get(id);
    if (!session) throw missing('checkout.session', id);
    const setup = session.setup_intent === null ? undefined : this.setups.get(session.setup_intent);
    if (!setup) return session;
    const { behaves: _, ...method } = this.methods.get(setup.payment_method)!;
    return { ...session, setup_intent: { ...setup, object: 'setup_intent', payment_method: method } };
  }

  private intent(id: string): Intent {
    const intent = this.intents.get(id);
    if (!intent) throw missing('payment_intent', id);
    return intent;
  }

  /** A page of a list, newest first. */
  private list<T extends { id: string }>(given: Parameters, all: T[]): object {
    const after = textOf(given['starting_after']);
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const limit = given['limit'] === undefined ? 10 : integerOf(given['limit'], 'limit');
    const data = all.slice(from, from + limit);
    return { object: 'list', url: '/v1/list', data, has_more: all.length > from + limit };
  }

  private add<T extends { id: string }>(to: Map<string, T>, prefix: string, made: Omit<T, 'id'>): T {
    const id = `${prefix}_loopback${String(++this.count).padStart(6, '0')}`;
    const whole = { id, ...made } as T;
    to.set(id, whole);
    return whole;
  }

  private happens(type: string, object: object): void {
    this.happenings.push({ type, object: structuredClone(object) });
  }
}

function isListed({ customer, created }: Intent, given: Parameters): boolean {
  const from = (given['created'] as { gte?: string } | undefined)?.gte;
  return (
    (given['customer'] === undefined || customer === given['customer']) &&
    (from === undefined || created >= Number(from))
  );
}

function metadataOf({ metadata }: Parameters): Metadata {
  return (metadata ?? {}) as Metadata;
}

function unexpectedState({ id, status }: Intent, action: string): StripeError {
  return new StripeError(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message: `You cannot ${action} ${id} because it has a status of ${status}.`,
  });
}
