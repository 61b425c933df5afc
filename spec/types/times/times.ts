import { date } from './date.ts';
import { datetime } from './datetime.ts';
import { daysOfWeek } from './days-of-week.ts';
import { duration } from './duration.ts';
import { time } from './time.ts';

/** The types of points in time, spans and days. */
export const TIME_TYPES = { date, time, datetime, duration, daysOfWeek };
