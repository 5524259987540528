import { Injectable } from '@nestjs/common';
import {
  CreditTypes,
  DEFAULT_RETURNED_PURCHASE_POLICY,
  startOfNextMonth,
  WalletReader,
  WalletStore,
  type UnpaidPurchase,
  type WalletEvent,
  type WalletKey,
} from '#libs/contexts/credits';
import { CommandBus } from '@nestjs/cqrs';
import { InvoicePayments } from '#libs/contexts/collection';
import { Customers, paysWhatWasDeclined, type CustomerEvent } from '#libs/contexts/customers';
import {
  disputedMoney,
  Invoices,
  lostInDisputes,
  refundedAtGateway,
  taxesReturnedAtGateway,
  VoidInvoice,
  type Invoice,
  type InvoiceEvent,
} from '#libs/contexts/invoicing';
import { Decimal, decimalString, InvalidRequest, NotFound } from '#libs/kernel/core';
import { isAmountRefusal } from '#libs/rating';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import {
  ProcessManager,
  reactByEventType,
  waitWhileRefused,
  type TaskHandlers,
  type TaskRequest,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { PurchaseCompleter } from './purchase-completer.js';
import { VoidedBlockCreditNoteIssuer } from './voided-block-credit-note-issuer.js';

type Block = WalletKey & { blockId: string };
type VoidedCredits = Extract<WalletEvent, { type: 'CreditsVoided' }>['data'];

interface Tasks {
  'complete-purchase': Block;
  /** Ends a purchase that is still unpaid when its credits expire. A partly paid purchase is not ended. */
  'end-unpaid-purchase': Block;
  'activate-purchase': Block & { invoiceId: string };
  'end-purchase': Block;
  'write-off-purchase': Block;
  'credit-voided-block': VoidedCredits;
  /** Applies the part of the purchase's price that went back at the payment processor to its credits. */
  'return-purchase': Block & { invoiceId: string };
  'top-up': WalletKey;
  /**
   * Charges an unpaid automatic top-up again at the start of the next month (UTC) after its charge was declined. `attemptId` is the
   * declined charge. Nothing is charged if a later charge was declined too. Tasks of earlier versions have no `attemptId`.
   */
  'charge-top-up': Block & { attemptId?: string };
  /**
   * Charges the unpaid automatic top-ups of a customer whose default payment method has changed since their last charge. With
   * `paymentMethodId`, nothing is charged unless this payment method is the default.
   */
  'charge-top-ups': { customerId: string; paymentMethodId?: string };
  /** Removes the automatic top-ups of a customer that was deleted. */
  'remove-top-ups': { customerId: string };
}

/** Creates and charges the invoices for purchases of credits, and makes the bought credits usable. */
@Injectable()
export class CreditPurchasesProcess extends ProcessManager<Tasks> {
  readonly name = 'credit-purchases';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
    private readonly completer: PurchaseCompleter,
    private readonly creditor: VoidedBlockCreditNoteIssuer,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<WalletEvent | InvoiceEvent | CustomerEvent, Tasks>({
    // The request of a client also completes its purchase, so the task is needed only if the process of the request stops. No request
    // completes an automatic top-up, so this task completes it.
    CreditPurchaseCreated: ({ data: { customerId, creditType, blockId, expiresAt } }) => {
      const payload = { customerId, creditType, blockId };
      const ends: TaskRequest<Tasks>[] = expiresAt
        ? [{ name: 'end-unpaid-purchase', payload, dueAt: expiresAt }]
        : [];
      return [{ name: 'complete-purchase', payload }, ...ends];
    },
    CreditsVoided: ({ data }) => (data.creditNote ? [{ name: 'credit-voided-block', payload: data }] : []),
    AutoTopUpDeferred: ({ data: { customerId, creditType, until } }) => [
      { name: 'top-up', payload: { customerId, creditType }, dueAt: until },
    ],
    InvoicePaid: ({ data: { customerId, invoiceId, purchasedBlock } }) =>
      purchasedBlock
        ? [{ name: 'activate-purchase', payload: { customerId, invoiceId, ...purchasedBlock } }]
        : [],
    GatewayRefundFound: ({ data }) => returnsOf(data),
    GatewayRefundFailed: ({ data }) => returnsOf(data),
    PaymentDisputed: ({ data }) => returnsOf(data),
    PaymentDisputeClosed: ({ data }) => returnsOf(data),
    InvoiceVoided: ({ data: { customerId, purchasedBlock } }) =>
      purchasedBlock ? [{ name: 'end-purchase', payload: { customerId, ...purchasedBlock } }] : [],
    InvoiceMarkedUncollectible: ({ data: { customerId, purchasedBlock } }) =>
      purchasedBlock ? [{ name: 'write-off-purchase', payload: { customerId, ...purchasedBlock } }] : [],
    // The default payment method may have been replaced while it was charged.
    PaymentFailed: ({ data: { at, customerId, attemptId, code, purchasedBlock } }) =>
      purchasedBlock && !isAmountRefusal(code)
        ? [
            {
              name: 'charge-top-up',
              payload: { customerId, ...purchasedBlock, attemptId },
              dueAt: startOfNextMonth(at),
            },
            { name: 'charge-top-ups', payload: { customerId } },
          ]
        : [],
    PaymentActionRequired: ({ data: { customerId, purchasedBlock } }) =>
      purchasedBlock ? [{ name: 'charge-top-ups', payload: { customerId } }] : [],
    PaymentMethodAttached: ({ data: { customerId, paymentMethodId, ...purpose } }) =>
      paysWhatWasDeclined(purpose)
        ? [{ name: 'charge-top-ups', payload: { customerId, paymentMethodId } }]
        : [],
    DefaultPaymentMethodChanged: ({ data: { customerId, paymentMethodId } }) => [
      { name: 'charge-top-ups', payload: { customerId, paymentMethodId } },
    ],
    // If the detached payment method was the default, another one is the default now.
    PaymentMethodDetached: ({ data: { customerId } }) => [
      { name: 'charge-top-ups', payload: { customerId } },
    ],
    CustomerDeleted: ({ data: { customerId } }) => [{ name: 'remove-top-ups', payload: { customerId } }],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'complete-purchase': async (block, context) => {
      const purchase = await this.unpaid(context, block);
      if (purchase) await this.completer.complete(context, block, purchase);
    },
    'end-unpaid-purchase': async (block, context) => {
      const purchase = await this.unpaid(context, block);
      if (!purchase) return;
      const reason = 'The credits expired before they were paid';
      const voiding = new VoidInvoice(followUpContext(context, 'void-invoice'), purchase.invoiceId, reason);
      // While the invoice is being paid, the task waits without an end. A partly paid invoice is left to the workspace, since only the
      // workspace can give the money back.
      await waitWhileRefused('payment_in_progress', this.commands.execute(voiding)).catch(
        (error: unknown) => {
          if (!isSettled(error) && !isPartlyPaid(error)) throw error;
        },
      );
    },
    'activate-purchase': async ({ invoiceId, ...block }, context) => {
      await this.completer.makeCreditsUsable(
        context,
        block,
        await this.invoices.require(context.workspaceId, invoiceId),
      );
    },
    'return-purchase': async ({ invoiceId, ...block }, context) => {
      const { workspaceId } = context;
      const { blockId, creditType } = block;
      const invoice = await this.invoices.require(workspaceId, invoiceId);
      // The credits can only be taken back once they are in the wallet.
      if (invoice.status === 'paid') await this.completer.makeCreditsUsable(context, block, invoice);
      const shareOf = (amount: Decimal) => decimalString(amount.dividedBy(invoice.total));
      const { onPurchaseReturned: policy = DEFAULT_RETURNED_PURCHASE_POLICY } =
        await this.creditTypes.require(workspaceId, creditType);
      const key = { workspaceId, customerId: block.customerId, creditType };
      await this.wallets.change(context, key, {
        type: 'ReturnPurchase',
        blockId,
        policy,
        shares: {
          refunded: shareOf(refundedAtGateway(invoice)),
          lost: shareOf(lostInDisputes(invoice)),
          disputed: shareOf(disputedMoney(invoice)),
        },
        taxes: taxesReturnedAtGateway(invoice),
      });
    },
    'end-purchase': (block, context) => this.completer.endVoidedPurchase(context, block, block.blockId),
    'write-off-purchase': async ({ blockId, ...wallet }, context) => {
      const key = { workspaceId: context.workspaceId, ...wallet };
      await this.wallets.change(context, key, { type: 'WriteOffPurchase', blockId });
    },
    'credit-voided-block': (voided, context) => this.creditor.issueCreditNote(context, voided),
    'top-up': async (wallet, context) => {
      // The task was planned before the customer was deleted.
      if ((await this.customers.find(context.workspaceId, wallet.customerId))?.deleted !== false) return;
      const key = { workspaceId: context.workspaceId, ...wallet };
      await this.wallets.change(context, key, { type: 'TopUpCredits' });
    },
    'charge-top-up': async ({ attemptId, ...block }, context) => {
      const invoice = await this.unpaidTopUpInvoice(context, block);
      if (!invoice) return;
      // Each declined charge plans a task, and only the task of the last one charges.
      const declined = invoice.attempts.findLast(({ status }) => status === 'failed');
      if (attemptId === undefined || declined?.attemptId === attemptId)
        await this.completer.chargeCard(context, invoice);
    },
    'charge-top-ups': async ({ customerId, paymentMethodId }, context) => {
      const { workspaceId } = context;
      const method = await this.payments.defaultPaymentMethod(workspaceId, customerId);
      if (paymentMethodId !== undefined && method?.paymentMethodId !== paymentMethodId) return;
      for (const { creditType, unpaid } of await this.walletReader.ofCustomer(workspaceId, customerId))
        for (const { blockId } of unpaid) {
          const invoice = await this.unpaidTopUpInvoice(context, { customerId, creditType, blockId });
          // The default payment method that was declined is charged again in the next month.
          if (!invoice || invoice.attempts.at(-1)?.method.paymentMethodId === method?.paymentMethodId)
            continue;
          await this.completer.chargeCard(followUpContext(context, blockId), invoice);
        }
    },
    'remove-top-ups': async ({ customerId }, context) => {
      const { workspaceId } = context;
      for (const { creditType, autoTopUp } of await this.walletReader.ofCustomer(workspaceId, customerId)) {
        if (!autoTopUp) continue;
        const key = { workspaceId, customerId, creditType };
        await this.wallets
          .change(followUpContext(context, creditType), key, { type: 'RemoveAutoTopUp' })
          .catch((error: unknown) => {
            // An erasure of the customer has removed the top-up meanwhile.
            if (!(error instanceof NotFound)) throw error;
          });
      }
    },
  };

  /** Returns the invoice of an automatic top-up, if it is open. An invoice that was written off is not charged automatically. */
  private async unpaidTopUpInvoice(context: CommandContext, block: Block): Promise<Invoice | undefined> {
    const purchase = await this.unpaid(context, block);
    if (!purchase?.topUp) return undefined;
    const invoice = await this.invoices.find(context.workspaceId, purchase.invoiceId);
    return invoice?.status === 'open' ? invoice : undefined;
  }

  /**
   * Returns a purchase that is not paid yet. Returns undefined if the purchase was paid or has ended. The row of a wallet can lack the
   * newest events of the wallet's stream. If the row does not contain the purchase, a settlement brings the row up to date, and the row is
   * read again.
   */
  private async unpaid({ workspaceId }: CommandContext, block: Block): Promise<UnpaidPurchase | undefined> {
    const key = { workspaceId, customerId: block.customerId, creditType: block.creditType };
    const find = async (): Promise<UnpaidPurchase | undefined> =>
      (await this.walletReader.read(key)).unpaid.find(({ blockId }) => blockId === block.blockId);
    const purchase = await find();
    if (purchase) return purchase;
    await this.wallets.settle(key);
    return find();
  }
}

/** The task that follows a refund or a dispute at the payment processor. Only invoices of purchases have one. */
function returnsOf({
  customerId,
  invoiceId,
  purchasedBlock,
}: Pick<InvoiceEvent['data'], 'customerId' | 'invoiceId' | 'purchasedBlock'>): TaskRequest<Tasks>[] {
  if (!purchasedBlock) return [];
  return [{ name: 'return-purchase', payload: { customerId, invoiceId, ...purchasedBlock } }];
}

/** Returns true if an error says that money was received for the invoice, but the invoice is not paid. */
function isPartlyPaid(error: unknown): boolean {
  return error instanceof InvalidRequest && error.code === 'invoice_partly_paid';
}

/** Returns true if an error says that the invoice is already paid, and also if it says that the invoice is already void. */
function isSettled(error: unknown): boolean {
  return error instanceof InvalidRequest && ['invoice_already_paid', 'invoice_void'].includes(error.code);
}
