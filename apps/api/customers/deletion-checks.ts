import { Injectable } from '@nestjs/common';
import { Balances } from '#libs/contexts/balances';
import { WalletReader } from '#libs/contexts/credits';
import { Conflict, Decimal } from '#libs/kernel/core';
import type { Customer } from '#libs/contexts/customers';
import { Invoices, type Invoice } from '#libs/contexts/invoicing';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { BalanceQueries } from '#projections/balances';
import { CustomerQueries } from '#projections/customers';
import { InvoiceQueries } from '#projections/invoices';
import { SubscriptionQueries } from '#projections/subscriptions';

const MAX_NAMED = 10;
const MAX_SUBSCRIPTIONS = 1_000;

/** Something that a customer still has, which prevents its deletion and its erasure. */
export interface DeletionBlocker {
  readonly code: string;
  /** The name that an error uses for the kind of blocker, such as `invoices`. */
  readonly field: string;
  /** The ids of the subscriptions or invoices, at most 10. For a balance or credits, the amounts, such as `30 USD` or `5 of ai-credits`. */
  readonly remainingItems: readonly string[];
  readonly message: string;
}

/** Checks whether a customer can be deleted. The customer must have nothing left to pay or to receive. */
@Injectable()
export class DeletionChecks {
  constructor(
    private readonly customers: CustomerQueries,
    private readonly subscriptions: SubscriptionQueries,
    private readonly invoiceRows: InvoiceQueries,
    private readonly invoices: Invoices,
    private readonly balanceRows: BalanceQueries,
    private readonly balances: Balances,
    private readonly wallets: WalletReader,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Throws NotFound if the customer does not exist. Throws Conflict if the customer has subscriptions that have not ended
   * (`customer_has_subscriptions`), drafts or open invoices (`customer_has_open_invoices`), a balance (`customer_has_balance`), or prepaid
   * credits (`customer_has_credits`). Invoices that were written off do not prevent the deletion. Read models tell which invoices to check,
   * and the event streams of these invoices decide. Only a read model tells which subscriptions have not ended. The `DeleteCustomer` command
   * checks the streams of the subscriptions later, and finds a subscription that is created during the check. An invoice that is created
   * during the check is not found, but no card of a deleted customer is charged automatically.
   */
  async requireDeletable(workspaceId: string, customerId: string): Promise<void> {
    const { state: customer } = await this.customers.get(workspaceId, customerId);
    const [blocker] = await this.blockersOf(workspaceId, customer);
    if (blocker) throw new Conflict(blocker.code, blocker.message);
  }

  /**
   * Returns one entry for each kind of thing that the customer still has to pay or to receive. Each entry has an error code and says what to
   * do. An entry names at most 10 subscriptions or invoices.
   */
  async blockersOf(
    workspaceId: string,
    customer: Pick<Customer, 'customerId' | 'currency'>,
  ): Promise<DeletionBlocker[]> {
    const { customerId } = customer;
    const live = await this.subscriptions.oldestLiveIdsOf(workspaceId, { customerId }, MAX_NAMED);
    const unsettled = await this.unsettledInvoices(workspaceId, customerId);
    const balances = await this.balancesOf(workspaceId, customer);
    const credits = await this.creditsOf(workspaceId, customerId);
    const found: DeletionBlocker[] = [
      {
        code: 'customer_has_subscriptions',
        field: 'subscriptions',
        remainingItems: live,
        message: `Customer "${customerId}" has subscriptions that have not ended (${live.join(', ')}); cancel them first`,
      },
      {
        code: 'customer_has_open_invoices',
        field: 'invoices',
        remainingItems: unsettled,
        message: `Customer "${customerId}" has invoices that are not settled (${unsettled.join(', ')}); collect, void or write them off first`,
      },
      {
        code: 'customer_has_balance',
        field: 'balance',
        remainingItems: balances,
        message: `Customer "${customerId}" has a balance of ${balances.join(' and ')}; use it up first with an invoice over this amount, or take it with POST /v1/customers/${customerId}/balance`,
      },
      {
        code: 'customer_has_credits',
        field: 'credits',
        remainingItems: credits,
        message: `Customer "${customerId}" has prepaid credits (${credits.join(', ')}); void them first`,
      },
    ];
    return found.filter(({ remainingItems: left }) => left.length > 0);
  }

  /**
   * Returns the ids of the customer's drafts and open invoices, and of invoices that the last bill of a subscription names but that do not
   * exist yet.
   */
  private async unsettledInvoices(workspaceId: string, customerId: string): Promise<string[]> {
    const page = { limit: MAX_NAMED, offset: 0 };
    const lists = await Promise.all(
      (['draft', 'open'] as const).map((status) =>
        this.invoiceRows.list(workspaceId, page, { customerId, status }),
      ),
    );
    const ended = await this.subscriptions.list(
      workspaceId,
      { limit: MAX_SUBSCRIPTIONS, offset: 0 },
      { customerId },
    );
    const billed = ended.flatMap(({ shown: { lastBill } }) => (lastBill ? [lastBill.invoiceId] : []));
    const listed = lists.flat().map(({ shown: { invoiceId } }) => invoiceId);
    const unsettled = await Promise.all(
      [...new Set([...listed, ...billed])].map(async (invoiceId) =>
        isSettled(await this.invoices.find(workspaceId, invoiceId)) ? [] : [invoiceId],
      ),
    );
    return unsettled.flat().slice(0, MAX_NAMED);
  }

  private async balancesOf(
    workspaceId: string,
    { customerId, currency: own }: Pick<Customer, 'customerId' | 'currency'>,
  ): Promise<string[]> {
    const rows = await this.balanceRows.balancesOf(workspaceId, customerId);
    const currencies = new Set([own, ...rows.map(({ currency }) => currency)]);
    const balances = await Promise.all(
      [...currencies].map(async (currency) => ({
        currency,
        balance: await this.balances.availableAmount(workspaceId, { customerId, currency }),
      })),
    );
    return balances
      .filter(({ balance }) => !new Decimal(balance).isZero())
      .map(({ balance, currency }) => `${balance} ${currency}`);
  }

  private async creditsOf(workspaceId: string, customerId: string): Promise<string[]> {
    const now = await this.clock.now(workspaceId);
    const left = await this.wallets.readUnexpiredCredits(workspaceId, customerId, now);
    return left.map(({ credits, creditType }) => `${credits} of ${creditType}`);
  }
}

function isSettled(invoice: Invoice | undefined): boolean {
  return invoice !== undefined && invoice.status !== 'draft' && invoice.status !== 'open';
}
