import { Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import {
  ChangeBillingSettings,
  CurrentBillingSettings,
  presentBillingSettings,
} from '#libs/contexts/invoicing';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context } from '../http/index.js';
import { BillingSettingsView, ChangeBillingSettingsBody } from './billing-settings.dto.js';
import { readSeller } from './seller.dto.js';

@ApiTags('Billing')
@Controller('v1/billing-settings')
export class BillingSettingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly settings: CurrentBillingSettings,
  ) {}

  @Get()
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'Get how invoices are numbered, opened and collected',
    description:
      'The settings are those of the whole workspace. A setting that was never changed shows its initial value.',
  })
  @ApiOkResponse({ type: BillingSettingsView })
  async get(@CurrentPrincipal() { workspaceId }: Principal): Promise<BillingSettingsView> {
    return presentBillingSettings(await this.settings.ofWorkspace(workspaceId));
  }

  @Put()
  @RequiresPermission('billing:write')
  @ApiOperation({
    summary: 'Change the given billing settings',
    description:
      'Existing invoices and drafts keep the settings that they were created with, except `logo` and `brandColor`. The settings for mail ' +
      'and `entitledWhilePastDue` apply at once. Invoices for purchases of credits are opened and charged by the purchase, not by ' +
      '`autoApprove`, `autoCollect`, `gracePeriodHours` and `skipZeroInvoices`.',
  })
  @ApiOkResponse({ type: BillingSettingsView })
  async change(
    @Context() context: CommandContext,
    @Body() body: ChangeBillingSettingsBody,
  ): Promise<BillingSettingsView> {
    const { seller, ...others } = body;
    const changes = { ...others, ...(seller === undefined ? {} : { seller: seller && readSeller(seller) }) };
    return presentBillingSettings(await this.commands.execute(new ChangeBillingSettings(context, changes)));
  }
}
