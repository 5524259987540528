import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';
import { ChoiceField, ListView } from '../http/index.js';

export const USER_STATUSES = ['active', 'deactivated'] as const;

export class UserView {
  @ApiProperty({ example: 'usr_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B', description: 'The id of the user.' }) id: string;
  @ApiProperty({
    format: 'email',
    description: 'The e-mail address that the user signs in with.',
    example: 'ada@example.com',
  })
  email: string;
  @ApiProperty({ description: 'The name of the user.', example: 'Ada Lovelace' }) name: string;
  @ApiProperty({ description: 'The id of the workspace.', example: 'acc_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' })
  accountId: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({
    enum: USER_STATUSES,
    description: 'Whether the user can sign in. A deactivated user cannot.',
  })
  status: (typeof USER_STATUSES)[number];
}

export class UserList extends ListView {
  @ApiProperty({ type: [UserView], description: 'The users.' }) data: UserView[];
}

export class ChangeUserBody {
  @ChoiceField(ROLES, { optional: true, description: 'The new role of the user.', example: 'finance' })
  role?: Role;

  @ChoiceField(USER_STATUSES, {
    optional: true,
    description:
      '`deactivated` ends all sessions of the user at once, and refuses further sign-ins. `active` lets the user sign in again.',
    example: 'active',
  })
  status?: (typeof USER_STATUSES)[number];
}

export class SessionView {
  @ApiProperty({ example: 'ses_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B', description: 'The id of the session.' })
  id: string;
  @ApiProperty({ format: 'date-time', description: 'The time of the sign-in.' }) createdAt: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time at which the session ends if it is not refreshed.',
  })
  expiresAt: string;
  @ApiProperty({ description: 'Whether this request belongs to the session.', example: true })
  current: boolean;
}

export class SessionList extends ListView {
  @ApiProperty({ type: [SessionView], description: 'The sessions.' }) data: SessionView[];
}
