import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ChangeDunningPolicy,
  CurrentDunningPolicy,
  DEFAULT_POLICY_ID,
  presentDunningPolicy,
  presentDunningProcess,
} from '#libs/contexts/dunning';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { MailStore, type MailStatus } from '#libs/outputs/mail';
import { DunningProcessQueries } from '#projections/dunning';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, PageQuery, pageInMemory, readPage } from '../http/index.js';
import {
  ChangeDunningPolicyBody,
  DunningPolicyList,
  DunningPolicyView,
  DunningProcessList,
  DunningProcessQuery,
} from './dunning.dto.js';

@ApiTags('Dunning')
@Controller('v1/dunning')
export class DunningController {
  constructor(
    private readonly commands: CommandBus,
    private readonly policy: CurrentDunningPolicy,
    private readonly processes: DunningProcessQueries,
    private readonly mail: MailStore,
  ) {}

  @Get('policies')
  @RequiresPermission('dunning:read')
  @ApiOperation({
    summary: 'List the dunning policies: each workspace has one policy, with the id `default`',
    description: 'The policy has its steps, each with the number of days after the due date.',
  })
  @ApiOkResponse({ type: DunningPolicyList })
  async policies(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<DunningPolicyList> {
    const rows = [await this.policy.findWithUpdateTime(workspaceId)];
    return pageInMemory(page, { list: 'dunning_policies', rows, idOf: () => DEFAULT_POLICY_ID }, (policy) =>
      presentDunningPolicy(DEFAULT_POLICY_ID, policy),
    );
  }

  @Put('policies/:policyId')
  @RequiresPermission('dunning:write')
  @ApiParam({ name: 'policyId', description: 'The id of the policy.', example: DEFAULT_POLICY_ID })
  @ApiOperation({
    summary: 'Change the given parts of a dunning policy',
    description:
      'Changed steps apply to dunning processes that start after the change. Running dunning processes keep the steps that they started ' +
      'with. If the policy is disabled, running processes end before their next step.',
  })
  @ApiOkResponse({ type: DunningPolicyView })
  async change(
    @Context() context: CommandContext,
    @Param('policyId') id: string,
    @Body() { steps, ...others }: ChangeDunningPolicyBody,
  ): Promise<DunningPolicyView> {
    const given = steps?.map(({ afterDays, channel = 'email', template, subscription = 'none' }) => ({
      afterDays,
      channel,
      template,
      subscription,
    }));
    const changes = { ...others, ...(given ? { steps: given } : {}) };
    return presentDunningPolicy(
      id,
      await this.commands.execute(new ChangeDunningPolicy(context, id, changes)),
    );
  }

  @Get('processes')
  @RequiresPermission('dunning:read')
  @ApiOperation({
    summary: 'List dunning processes, newest first, with the reminders that were sent',
    description:
      'A process is about the debt of one customer in one currency, and names the invoices that are overdue.',
  })
  @ApiOkResponse({ type: DunningProcessList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: DunningProcessQuery,
  ): Promise<DunningProcessList> {
    const { customerId, status, ...page } = query;
    const filter = { ...(customerId ? { customerId } : {}), ...(status ? { status } : {}) };
    let statuses: ReadonlyMap<string, MailStatus> = new Map();
    return readPage(
      page,
      this.processes.listOrder,
      async (part) => {
        const rows = await this.processes.list(workspaceId, part, filter);
        const mailIds = rows.flatMap(({ taken }) => taken.map(({ mailId }) => mailId));
        statuses = await this.mail.statusesOf(workspaceId, mailIds);
        return rows;
      },
      (row) => presentDunningProcess(row, (mailId) => statuses.get(mailId) ?? null),
    );
  }
}
