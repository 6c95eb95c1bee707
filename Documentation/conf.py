# SPDX-License-Identifier: BSD-2-Clause
"""Sphinx configuration: `make htmldocs`, or sphinx-build -W Documentation build/html."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, 'sphinx'))

project = 'softpt'
author = 'the softpt developers'
copyright = author
extensions = ['softptdoc']
master_doc = 'index'
exclude_patterns = ['sphinx', 'ABI']
primary_domain = 'c'
highlight_language = 'none'
smartquotes = False
html_theme = 'alabaster'
html_theme_options = {'description': 'Processor trace in software', 'page_width': '1080px',
                      'fixed_sidebar': True}
html_copy_source = False
html_show_sphinx = False
