import '../ui/colors.css';
import '../ui/base.css';
import '../ui/parts.css';
import './app/app.css';
import { render } from 'preact';
import { restoreTheme } from '../ui/browser.ts';
import { App } from './app/app.tsx';

restoreTheme();
const place = document.getElementById('app');
if (place) render(<App />, place);
