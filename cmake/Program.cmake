# The files installed with the program: its manual page and the completions of three shells, which it writes
# itself.
install(TARGETS tavola_program)

function(tavola_install_text destination name)
  set(file ${PROJECT_BINARY_DIR}/program/${name})
  add_custom_command(OUTPUT ${file} COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/program
                     COMMAND tavola_program ${ARGN} > ${file} DEPENDS tavola_program VERBATIM)
  add_custom_target(program_${name} ALL DEPENDS ${file})
  install(FILES ${file} DESTINATION ${destination})
endfunction()

tavola_install_text(${CMAKE_INSTALL_MANDIR}/man1 tavola.1 man)
tavola_install_text(${CMAKE_INSTALL_DATADIR}/bash-completion/completions tavola completion bash)
tavola_install_text(${CMAKE_INSTALL_DATADIR}/zsh/site-functions _tavola completion zsh)
tavola_install_text(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d tavola.fish completion fish)
