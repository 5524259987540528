import { Body, Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { recordWrite } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { SandboxClockMover } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { InstantField, TakesLong } from '../http/index.js';

class SetClockBody {
  @InstantField({
    description: 'The time that the frozen clock shows; a time in the past is allowed.',
  })
  now: string;
}

class AdvanceClockBody {
  @InstantField({
    description:
      'The time to which the clock moves. The new time must be from the present time of the clock to five years (1,830 days) later.',
  })
  to: string;
}

class ClockView {
  @ApiProperty({ format: 'date-time', description: 'The present time of the clock.' }) now: string;
  @ApiProperty({ description: 'Whether the clock stands still until a request moves it.', example: true })
  frozen: boolean;
}

@ApiTags('Sandbox')
@Controller('v1/sandbox/clock')
export class SandboxClockController {
  constructor(
    private readonly clock: WorkspaceClock,
    private readonly time: SandboxClockMover,
  ) {}

  @Get()
  @RequiresPermission('sandbox:read')
  @ApiOperation({
    summary: "Get the time of the workspace's clock",
    description: 'The clock shows real time until a request freezes it.',
  })
  @ApiOkResponse({ type: ClockView })
  async read(@CurrentPrincipal() { workspaceId }: Principal): Promise<ClockView> {
    return this.clock.read(workspaceId);
  }

  @Put()
  @RequiresPermission('sandbox:write')
  @ApiOperation({
    summary:
      'Freeze the clock of the sandbox at a moment; only possible until the first subscription, license, price migration or closed month',
    description: 'The clock then stands still until a request moves it.',
  })
  @ApiOkResponse({ type: ClockView })
  async set(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Body() { now }: SetClockBody,
  ): Promise<ClockView> {
    return this.time.freezeAt(workspaceId, now);
  }

  @Post('advance')
  @TakesLong()
  @HttpCode(200)
  @RequiresPermission('sandbox:write')
  @ApiOperation({
    summary:
      'Move the clock forward and do everything that becomes due, in order of time; the response comes when all work is done',
    description:
      'The clock stands still afterwards, also if it showed real time before. If the work makes no progress for some seconds, the error ' +
      'is 503 `clock_stalled`, and the clock stands at an earlier time.',
  })
  @ApiOkResponse({ type: ClockView })
  async advance(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Body() { to }: AdvanceClockBody,
  ): Promise<ClockView> {
    const { position, ...reading } = await this.time.advance(workspaceId, to);
    if (position !== undefined) recordWrite(position);
    return reading;
  }
}
