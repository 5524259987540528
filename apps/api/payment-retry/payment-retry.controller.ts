import { Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ChangePaymentRetrySettings,
  CurrentPaymentRetrySettings,
  presentPaymentRetrySettings,
} from '#libs/contexts/collection';
import type { Principal } from '#libs/contexts/identity';
import { jsonNumber } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { PaymentRetryQueries } from '#projections/invoices';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context } from '../http/index.js';
import {
  ChangePaymentRetrySettingsBody,
  PaymentRetrySettingsView,
  PaymentRetrySummaryView,
} from './payment-retry.dto.js';

@ApiTags('Billing')
@Controller('v1/payment-retry')
export class PaymentRetryController {
  constructor(
    private readonly commands: CommandBus,
    private readonly settings: CurrentPaymentRetrySettings,
    private readonly retries: PaymentRetryQueries,
  ) {}

  @Get('settings')
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'Get when failed payments are retried, and what happens after the last retry',
    description: 'Intervals are in days. Settings that were never changed show their initial values.',
  })
  @ApiOkResponse({ type: PaymentRetrySettingsView })
  async get(@CurrentPrincipal() { workspaceId }: Principal): Promise<PaymentRetrySettingsView> {
    return presentPaymentRetrySettings(await this.settings.ofWorkspace(workspaceId));
  }

  @Put('settings')
  @RequiresPermission('billing:write')
  @MayNeedApproval('invoice.mark_uncollectible')
  @ApiOperation({
    summary: 'Change the given retry settings',
    description:
      'The changed settings apply to payments that fail from now on. Retries that are already planned keep their time.',
  })
  @ApiOkResponse({ type: PaymentRetrySettingsView })
  async change(
    @Context() context: CommandContext,
    @Body() body: ChangePaymentRetrySettingsBody,
  ): Promise<PaymentRetrySettingsView> {
    return presentPaymentRetrySettings(
      await this.commands.execute(new ChangePaymentRetrySettings(context, { ...body })),
    );
  }

  @Get('summary')
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'Get the numbers and amounts of invoices with payment retries, by retry state and currency',
    description:
      'An invoice is left out if the retry settings did not apply to its failed payments. An invoice is also left out if it was voided, ' +
      'was paid otherwise than by a card charge, or was written off by a user before its retries were over.',
  })
  @ApiOkResponse({ type: PaymentRetrySummaryView })
  async summary(@CurrentPrincipal() { workspaceId }: Principal): Promise<PaymentRetrySummaryView> {
    const totals = await this.retries.totals(workspaceId);
    const due = totals.flatMap(({ nextAttemptAt }) => (nextAttemptAt === null ? [] : [nextAttemptAt]));
    return {
      nextAttemptAt: due.sort()[0] ?? null,
      totals: totals.map((total) => ({ ...total, amount: jsonNumber(total.amount) })),
    };
  }
}
