import '../ui/colors.css';
import '../ui/base.css';
import '../ui/parts.css';
import './report.css';
import { render } from 'preact';
import { restoreTheme } from '../ui/browser.ts';
import { Report } from './report.tsx';

restoreTheme();
render(<Report />, document.getElementById('app') ?? document.body);
