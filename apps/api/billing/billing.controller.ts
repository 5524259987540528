import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { billingRunIdOf, presentBillingRun, RunBilling, type BillingRunReport } from '#libs/contexts/billing';
import { Customers } from '#libs/contexts/customers';
import { EventFeed, type CommandContext } from '#libs/kernel/event-store';
import { ReadModelProgress } from '#libs/kernel/projection';
import type { Principal } from '#libs/contexts/identity';
import { nextDueChange, Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { BillingRunQueries } from '#projections/billing';
import { SubscriptionQueries } from '#projections/subscriptions';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery, TakesLong } from '../http/index.js';
import {
  BillingRunList,
  BillingRunView,
  RunBillingBody,
  ScheduledBillingList,
  ScheduledBillingView,
} from './billing.dto.js';

/** The maximum time to wait until the read models show what an interrupted run has done, in milliseconds. */
const READABLE_MILLIS = 10_000;

@ApiTags('Billing')
@Controller('v1/billing')
export class BillingController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
    private readonly schedules: SubscriptionQueries,
    private readonly runs: BillingRunQueries,
    private readonly feed: EventFeed,
    private readonly readModels: ReadModelProgress,
  ) {}

  @Post('run')
  @TakesLong()
  @HttpCode(200)
  @RequiresPermission('billing:write')
  @ApiOperation({
    summary: 'Bill all due subscriptions now',
    description:
      'Billing also runs automatically when a subscription is due, for example at the end of every period. Each period is billed ' +
      'once, even if several runs overlap. Each run lists the invoices that it made. A request that was interrupted can be repeated with ' +
      'its `Idempotency-Key`: the same run goes on, and lists what it made before too.',
  })
  @ApiOkResponse({ type: BillingRunView })
  async run(@Context() context: CommandContext, @Body() scope: RunBillingBody): Promise<BillingRunView> {
    const { customerId = null, subscriptionId = null } = scope;
    const candidates = await this.candidates(context, scope);
    const earlier = await this.earlierAttempts(context);
    return presentBillingRun(
      await this.commands.execute(
        new RunBilling(context, candidates, { customerId, subscriptionId }, earlier),
      ),
    );
  }

  @Get('schedule')
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'List the next billing of each subscription, soonest first',
    description:
      'A subscription that has ended is not in the list, nor is a paused subscription for which no change is planned.',
  })
  @ApiOkResponse({ type: ScheduledBillingList })
  async schedule(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<ScheduledBillingList> {
    return readPage(
      page,
      this.schedules.dueTimeOrder,
      (part) => this.schedules.pageByDueTime(workspaceId, part),
      ({ state }) => presentSchedule(state),
    );
  }

  @Get('history')
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'List past billing runs, newest first',
    description:
      'Each run has its times, the number and totals of its invoices, and the subscriptions that could not be billed.',
  })
  @ApiOkResponse({ type: BillingRunList })
  async history(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<BillingRunList> {
    return readPage(
      page,
      this.runs.listOrder,
      (part) => this.runs.list(workspaceId, part),
      (run) => presentBillingRun(run),
    );
  }

  /** Returns what earlier attempts of the same command did. */
  private async earlierAttempts(context: CommandContext): Promise<BillingRunReport | undefined> {
    if (!context.mayRepeat) return undefined;
    const head = await this.feed.readHead();
    // Billing goes on if the read models stay behind. The run then counts less than it made.
    if (head !== undefined) await this.readModels.waitFor(head, READABLE_MILLIS);
    return this.runs.find(context.workspaceId, billingRunIdOf(context));
  }

  /**
   * Returns the ids of the subscriptions that may be due. Throws NotFound if the workspace does not have the requested customer or
   * subscription.
   */
  private async candidates(
    { workspaceId, now }: CommandContext,
    { customerId, subscriptionId }: RunBillingBody,
  ): Promise<AsyncIterable<string>> {
    if (customerId !== undefined) await this.customers.require(workspaceId, customerId);
    if (subscriptionId === undefined) return this.schedules.allDueIds(workspaceId, now, customerId);
    const subscription = await this.subscriptions.require(workspaceId, subscriptionId);
    const isAskedFor = customerId === undefined || subscription.customerId === customerId;
    return only(isAskedFor ? [subscriptionId] : []);
  }
}

async function* only<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

function presentSchedule(subscription: Subscription): ScheduledBillingView {
  const { subscriptionId, customerId, period } = subscription;
  const next = nextDueChange(subscription);
  return {
    subscriptionId,
    customerId,
    periodStart: period.start,
    periodEnd: period.end,
    dueAt: next?.at ?? period.end,
    reason: next?.kind ?? 'boundary',
    final: next?.kind === 'cancellation',
  };
}
