import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';
import { ChoiceField, SingleLineField, ListView } from '../http/index.js';

export class CreateApiKeyBody {
  @SingleLineField({ max: 100, description: 'What the key is for.', example: 'usage collector' })
  name: string;

  @ChoiceField(ROLES, {
    description: 'The role of the key. It cannot allow more than your own role.',
    example: 'ingest',
  })
  role: Role;
}

export class ApiKeyView {
  @ApiProperty({ example: 'key_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' }) id: string;
  @ApiProperty({ description: 'What the key is for.', example: 'usage collector' }) name: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({ description: 'The last four characters of the key.', example: 'x7Qa' }) last4: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of last use, to the minute. Null if it was never used.',
  })
  lastUsedAt: string | null;
}

export class NewApiKeyView extends ApiKeyView {
  @ApiProperty({
    description:
      'The key itself. Only the same request with the same `Idempotency-Key` shows it again, for 30 days unless set otherwise.',
    example: 'svc_…',
  })
  key: string;
}

export class ApiKeyList extends ListView {
  @ApiProperty({ type: [ApiKeyView] }) data: ApiKeyView[];
}
