import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { firstMomentAfter, InvalidRequest } from '#libs/kernel/core';
import type { Principal } from '#libs/contexts/identity';
import { InvoiceLookup } from '#libs/contexts/invoicing';
import { earliestInstantOfDate, isDateMoment } from '#libs/contexts/ledger';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LedgerQueries, presentLedgerEntry, presentTrialBalance } from '#projections/ledger';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { readPage } from '../http/index.js';
import { AccountDetailNameFinder } from './account-detail-name-finder.js';
import { LedgerEntriesQuery, LedgerEntryList, TrialBalanceQuery, TrialBalanceView } from './ledger.dto.js';

@ApiTags('Ledger')
@Controller('v1/ledger')
export class LedgerController {
  constructor(
    private readonly ledger: LedgerQueries,
    private readonly invoices: InvoiceLookup,
    private readonly clock: WorkspaceClock,
    private readonly names: AccountDetailNameFinder,
  ) {}

  @Get('trial-balance')
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Get the balance of every ledger account, at any moment up to now',
    description:
      'Each account has a debit or a credit balance. In each currency, the sum of the debits equals the sum of the credits.',
  })
  @ApiOkResponse({ type: TrialBalanceView })
  async trialBalance(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { at }: TrialBalanceQuery,
  ): Promise<TrialBalanceView> {
    const now = await this.clock.now(workspaceId);
    if (at !== undefined && (isDateMoment(at) ? earliestInstantOfDate(at) : at) > now)
      throw InvalidRequest.field('at', `must not be ahead of the workspace's clock, which says ${now}`);
    const moment = at ?? now;
    const balances = await this.ledger.balancesAt(workspaceId, moment, now);
    return presentTrialBalance(moment, balances, await this.names.namesOf(workspaceId, balances.balances));
  }

  @Get('entries')
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'List the postings of the double-entry ledger, oldest first, each with the event that caused it',
    description:
      'Postings that take effect later than now are left out, such as those of revenue that is not earned yet.',
  })
  @ApiOkResponse({ type: LedgerEntryList })
  async entries(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: LedgerEntriesQuery,
  ): Promise<LedgerEntryList> {
    const { limit, offset, after, customerId, invoiceId: named, since, until, account } = query;
    const invoiceId =
      named === undefined ? undefined : await this.invoices.findIdByIdOrNumber(workspaceId, named);
    const unknown = named !== undefined && invoiceId === undefined;
    const filter = {
      ...(account === undefined ? {} : { account }),
      ...(since === undefined ? {} : { from: since }),
      ...(until === undefined ? {} : { to: firstMomentAfter(until) }),
      ...(customerId === undefined ? {} : { customerId }),
      ...(invoiceId === undefined ? {} : { invoiceId }),
    };
    const now = await this.clock.now(workspaceId);
    const page = await readPage(
      { limit, offset, after },
      this.ledger.listOrder,
      (part) => (unknown ? [] : this.ledger.list(workspaceId, filter, now, part)),
      (row) => row,
    );
    const names = await this.names.namesOf(workspaceId, page.data);
    return { ...page, data: page.data.map((row) => presentLedgerEntry(row, names)) };
  }
}
